import { z } from "zod";

import {
  listOutgoing as list,
  type OutgoingEntry,
} from "#server/core/mail/mail-log/list-outgoing.ts";
import { explainTls } from "#server/core/sending/transport-security/tls-outcome.ts";
import { explainReply } from "#server/core/sending/replies/explain-reply.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { LogPage, LogQuery } from "./log-page.ts";

const ROWS = 50;
const text = z.string().nullable();
const Result = z.enum(["delivered", "delayed", "bounced", "not_sent"]);
const Kind = z
  .enum(["email", "submission", "forward", "vacation", "group", "incoming", "report"])
  .describe("An email sent through the API, or the origin of a message");

export const listOutgoing = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/mail-log/outgoing",
  summary: "List delivery attempts per recipient, newest first",
  permission: "operator",
  privilege: null,
  query: LogQuery.extend({
    result: Result.optional(),
    message: z.uuid().optional().describe("ID of an email or message"),
  }),
  response: LogPage.extend({
    data: z.array(
      z.object({
        id: z.string(),
        kind: Kind,
        parent_id: z.uuid().describe("ID of the email or message"),
        company: z.object({ id: z.uuid(), name: text }),
        sender: z.string(),
        recipient: z.string(),
        destination: z.string(),
        result: Result,
        dsn: text,
        reply: text.describe("Reply of the receiving server, or why the message was not sent"),
        tls: text.describe("How the connection was encrypted, or why not"),
        why: text.describe("Explanation of the reply, if there is one"),
        created_at: z.string(),
      }),
    ),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { before = null, company, message, ...filter } }) {
    const filters = { ...filter, companyId: company, parentId: message };
    const page = await list(ctx.db, filters, { limit: ROWS, before });
    return {
      data: page.rows.map((row) => ({
        ...{ id: `${row.source}-${row.id}`, kind: row.kind, parent_id: row.parentId },
        company: { id: row.companyId, name: row.companyName },
        ...{ sender: row.sender, recipient: row.recipient, destination: row.destination },
        ...{ result: row.result, dsn: row.dsn, reply: row.reply, created_at: row.at },
        tls: row.tls && explainTls(row.tls),
        why: explanation(row),
      })),
      next: page.next,
      is_cut_short: page.isCutShort,
    };
  },
});

function explanation({ result, dsn, reply, destination: domain }: OutgoingEntry): string | null {
  const isDelayed = result === "delayed";
  if (!isDelayed && result !== "bounced") return null;
  return explainReply({ dsn: dsn ?? "", message: reply ?? "", domain, isDelayed }).why;
}
