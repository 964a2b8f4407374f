import { z } from "zod";

import { momentQuery } from "#server/http/lists.ts";
import { listMailLog, type MailLogFilter } from "#server/core/mail/mail-log/mail-log.ts";
import {
  listOutgoing,
  type OutgoingEntry,
  type OutgoingFilter,
} from "#server/core/mail/mail-log/list-outgoing.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import type { Context } from "#server/core/shared/context.ts";
import { explainReply } from "#server/core/sending/server-replies/explain-reply.ts";
import { explainTls } from "#server/core/sending/transport-security/tls-sessions.ts";
import { operatorRead, pageEndpoints, read } from "#server/http/endpoint.ts";

const moment = momentQuery("must be an RFC 3339 timestamp");

/** Filters for incoming and outgoing entries. */
const LogQuery = z.object({
  search: z.string().max(200).optional(),
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

type Call = { ctx: Context; signedIn: HeldPrivileges };

const scopeOf = ({ ctx, signedIn }: Call, mailbox?: string) => ({
  companyId: ctx.companyId,
  callerPrivileges: signedIn,
  mailbox,
});

async function shownIncoming({ ctx: { db } }: Call, filter: MailLogFilter, before?: string) {
  const page = await listMailLog(db, filter, { limit: ROWS, before: before ?? null });
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
}

async function shownOutgoing({ ctx: { db } }: Call, filter: OutgoingFilter, before?: string) {
  const page = await listOutgoing(db, filter, { limit: ROWS, before: before ?? null });
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
}

const IncomingQuery = LogQuery.extend({
  kind: Kind.optional(),
  client: z.string().max(100).optional(),
});

const OutgoingQuery = LogQuery.extend({
  result: Result.optional(),
  message: z.uuid().optional(),
});

const ofCompany = { company: z.uuid().optional() };
const ofMailbox = { mailbox: z.string().max(320).optional() };

/** Incoming and outgoing mail of all companies, for operators. */
export const mailLogConsole = pageEndpoints("console", "mailLog", {
  list: operatorRead({
    query: IncomingQuery.extend(ofCompany),
    handle: (call) => {
      const { before, company, ...filter } = call.query;
      return shownIncoming(call, { ...filter, companyId: company }, before);
    },
  }),

  listOutgoing: operatorRead({
    query: OutgoingQuery.extend(ofCompany),
    handle: (call) => {
      const { before, company, message, ...filter } = call.query;
      return shownOutgoing(call, { ...filter, companyId: company, parentId: message }, before);
    },
  }),
});

/** The same for a company's admins, limited to its mail; for admins of units, to the mail of their mailboxes. */
export const mailTraceConsole = pageEndpoints("console", "mailTrace", {
  list: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    query: IncomingQuery.extend(ofMailbox),
    handle: (call) => {
      const { before, mailbox, ...filter } = call.query;
      return shownIncoming(call, { ...filter, scope: scopeOf(call, mailbox) }, before);
    },
  }),

  listOutgoing: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    query: OutgoingQuery.extend(ofMailbox),
    handle: (call) => {
      const { before, message, mailbox, ...filter } = call.query;
      const scope = scopeOf(call, mailbox);
      return shownOutgoing(call, { ...filter, parentId: message, scope }, before);
    },
  }),
});
