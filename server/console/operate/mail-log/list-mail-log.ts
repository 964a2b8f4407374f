import { z } from "zod";

import { listMailLog as list } from "#server/core/mail/mail-log/list-mail-log.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { LogPage, LogQuery } from "./log-page.ts";

const ROWS = 50;
const text = z.string().nullable();
const Kind = z.enum(["received", "refused", "submitted", "sign_in_failed"]);

export const listMailLog = defineEndpoint({
  method: "GET",
  path: "/console/api/operate/mail-log",
  summary: "List the SMTP replies of the last seven days, newest first",
  permission: "operator",
  privilege: null,
  query: LogQuery.extend({
    kind: Kind.optional(),
    client: z.string().max(100).optional().describe("IP address or CIDR range"),
  }),
  response: LogPage.extend({
    data: z.array(
      z.object({
        id: z.string(),
        kind: Kind,
        company: z.object({ id: z.uuid(), name: text }).nullable(),
        client_address: text,
        helo: text,
        sender: text,
        recipient: text,
        size: z.number().nullable(),
        message_id: text.describe("Message-ID header"),
        reply: z.string(),
        created_at: z.string(),
      }),
    ),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { before = null, company, ...filter } }) {
    const page = await list(ctx.db, { ...filter, companyId: company }, { limit: ROWS, before });
    return {
      data: page.rows.map((row) => ({
        ...{ id: row.id, kind: row.kind, helo: row.helo, size: row.size, reply: row.reply },
        ...{ sender: row.sender, recipient: row.recipient, client_address: row.clientAddress },
        message_id: row.messageId,
        company: row.companyId === null ? null : { id: row.companyId, name: row.companyName },
        created_at: row.at,
      })),
      next: page.next,
      is_cut_short: page.isCutShort,
    };
  },
});
