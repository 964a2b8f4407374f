import { z } from "zod";

import { momentQuery } from "#server/http/lists.ts";
import { listMailLog } from "#server/core/mail/mail-log/mail-log.ts";
import { type OutgoingEntry, listOutgoing } from "#server/core/mail/mail-log/list-outgoing.ts";
import { explainReply } from "#server/core/sending/replies/explain-reply.ts";
import { explainTls } from "#server/core/sending/transport-security/tls-sessions.ts";
import { pageEndpoints, read } from "#server/http/endpoint.ts";

const moment = momentQuery("must be an RFC 3339 timestamp");

/** Filters for incoming and outgoing entries. */
const LogQuery = z.object({
  search: z.string().max(200).optional(),
  company: z.uuid().optional(),
  from: moment.optional(),
  /** Exclusive. */
  to: moment.optional(),
  before: z.string().max(1_000).optional(),
});

const ROWS = 50;

const Kind = z.enum(["received", "refused", "submitted", "sign_in_failed"]);

const Result = z.enum(["delivered", "delayed", "bounced", "not_sent"]);

function explanation({ result, dsn, reply, destination: domain }: OutgoingEntry): string | null {
  const isDelayed = result === "delayed";
  if (!isDelayed && result !== "bounced") return null;
  return explainReply({ dsn: dsn ?? "", message: reply ?? "", domain, isDelayed }).why;
}

/** Incoming and outgoing mail of all companies, for operators. */
export const mailLogConsole = pageEndpoints("console", "mailLog", {
  list: read({
    permission: "operator",
    query: LogQuery.extend({
      kind: Kind.optional(),
      client: z.string().max(100).optional(),
    }),
    async handle({ ctx, query: { before = null, company, ...filter } }) {
      const page = await listMailLog(
        ctx.db,
        { ...filter, companyId: company },
        { limit: ROWS, before },
      );
      return {
        data: page.rows.map((row) => ({
          id: row.id,
          kind: row.kind,
          helo: row.helo,
          size: row.size,
          reply: row.reply,
          sender: row.sender,
          recipient: row.recipient,
          clientAddress: row.clientAddress,
          messageId: row.messageId,
          company: row.companyId === null ? null : { id: row.companyId, name: row.companyName },
          createdAt: row.at,
        })),
        next: page.next,
        isCutShort: page.isCutShort,
      };
    },
  }),

  listOutgoing: read({
    permission: "operator",
    query: LogQuery.extend({
      result: Result.optional(),
      message: z.uuid().optional(),
    }),
    async handle({ ctx, query: { before = null, company, message, ...filter } }) {
      const filters = { ...filter, companyId: company, parentId: message };
      const page = await listOutgoing(ctx.db, filters, { limit: ROWS, before });
      return {
        data: page.rows.map((row) => ({
          id: `${row.source}-${row.id}`,
          kind: row.kind,
          parentId: row.parentId,
          company: { id: row.companyId, name: row.companyName },
          sender: row.sender,
          recipient: row.recipient,
          destination: row.destination,
          result: row.result,
          dsn: row.dsn,
          reply: row.reply,
          createdAt: row.at,
          tls: row.tls && explainTls(row.tls),
          why: explanation(row),
        })),
        next: page.next,
        isCutShort: page.isCutShort,
      };
    },
  }),
});
