import { type SQL, sql } from "drizzle-orm";

import type { MessageOrigin } from "#drizzle/schema/index.ts";
import { containsPattern } from "#server/core/shared/paging/pages.ts";
import type { Db } from "#server/db/client.ts";
import { canReadEmails } from "#server/core/access/privileges/privileges.ts";

import {
  BOUNDS,
  firstIdSince,
  isBefore,
  isSince,
  joinCompany,
  type LogPage,
  type LogPosition,
  type LogReader,
  logSource,
  mergeNewest,
  type TimeRange,
} from "./internal/log-pages.ts";
import { isOwnOutgoing, type MailScope } from "./internal/own-mail.ts";

/** The result of one attempt for one recipient, or why there was none. */
export type OutgoingEntry = LogPosition & {
  /** The table. Source and id identify the entry. */
  source: "email" | "message" | "delay";
  /** An email of the API, or the origin of a message. */
  kind: "email" | MessageOrigin;
  /** Id of the email or message. */
  parentId: string;
  companyId: string;
  companyName: string | null;
  sender: string;
  recipient: string;
  /** The recipient's domain. */
  destination: string;
  result: "delivered" | "delayed" | "bounced" | "not_sent";
  dsn: string | null;
  /** The server's reply, or why it was not sent. */
  reply: string | null;
  /** How the connection was encrypted (`formatTls`). */
  tls: string | null;
};

/**
 * A page of the log of outgoing mail, newest first: every attempt for every recipient of emails and messages. Can be
 * cut short, even empty (see log-pages.ts).
 *
 * @param before `next` of the previous page
 * @throws Refusal `invalid` for an invalid cursor
 */
export async function listOutgoing(
  db: Db,
  filter: OutgoingFilter,
  page: { limit: number; before: string | null },
  bounds = BOUNDS,
): Promise<LogPage<OutgoingEntry>> {
  const { result, scope } = filter;
  const seesEmails =
    !scope || (scope.mailbox === undefined && canReadEmails(scope.callerPrivileges));
  const [emails, delays] = await Promise.all([
    seesEmails ? emailSource(db, filter) : null,
    !result || result === "delayed" ? delaySource(db, filter) : null,
  ]);
  return mergeNewest(
    {
      ...(emails && { emails }),
      ...(result !== "delayed" && { messages: messageSource(db, filter) }),
      ...(delays && { delays }),
    },
    page,
    bounds,
  );
}

async function emailSource(db: Db, filter: OutgoingFilter): Promise<LogReader<OutgoingEntry>> {
  const recipient = sql`coalesce(l.recipient, p."to"[1])`;
  return logSource<OutgoingEntry>(db, {
    from: sql`email_events l
      cross join lateral (
        select "from", "to" from emails where id = l.email_id and not is_test limit 1) p
      ${joinCompany(sql`l.company_id`)}`,
    table: sql`email_events l`,
    at: sql`l.created_at`,
    order: "id",
    columns: sql`'email' as source, 'email' as kind, ${commonColumns(sql`l.email_id`, recipient)},
      p."from" as sender, case l.type when 'delivery_delayed' then 'delayed' when 'delivered' then 'delivered'
        when 'bounced' then 'bounced' else 'not_sent' end as result,
      l.dsn, coalesce(l.message, l.reason) as reply, l.tls`,
    within: [
      ...(await withinIds(db, sql`email_events`, sql`l.email_id`, filter)),
      ...(companyOf(filter) ? [SHOWN] : []),
    ],
    since: withSkew(filter.from),
    fits: [
      typeCondition(filter.result),
      ...inPeriod(sql`l.created_at`, filter),
      ...searchCondition(filter, sql`p."from"`, recipient),
    ],
  });
}

function messageSource(db: Db, filter: OutgoingFilter): LogReader<OutgoingEntry> {
  const at = sql`l.settled_at`;
  return logSource<OutgoingEntry>(db, {
    from: sql`message_recipients l ${JOIN_MESSAGE}`,
    table: sql`message_recipients l`,
    at,
    order: "moment",
    columns: sql`'message' as source, ${MESSAGE_COLUMNS}, case l.state when 'dropped' then 'not_sent'
      else l.state::text end as result, l.dsn, l.reply, l.tls`,
    within: [
      sql`${at} is not null`,
      ...ownedBy(sql`l.message_id`, filter),
      ...isBefore(at, filter.to),
    ],
    since: filter.from,
    fits: [
      ...isSince(at, filter.from),
      ...(filter.result ? [sql`l.state = ${STATES[filter.result]}`] : []),
      ...messageConditions(filter),
    ],
  });
}

async function delaySource(db: Db, filter: OutgoingFilter): Promise<LogReader<OutgoingEntry>> {
  return logSource<OutgoingEntry>(db, {
    from: sql`message_delays l ${JOIN_MESSAGE}`,
    table: sql`message_delays l`,
    at: sql`l.created_at`,
    order: "id",
    columns: sql`'delay' as source, ${MESSAGE_COLUMNS}, 'delayed' as result, l.dsn, l.reply, l.tls`,
    within: await withinIds(db, sql`message_delays`, sql`l.message_id`, filter),
    since: withSkew(filter.from),
    fits: [...inPeriod(sql`l.created_at`, filter), ...messageConditions(filter)],
  });
}

const commonColumns = (parentId: SQL, recipient: SQL): SQL =>
  sql`${parentId} as "parentId", l.company_id as "companyId", c.name as "companyName",
    ${recipient} as recipient, split_part(${recipient}, '@', -1) as destination`;

// The limit forces a lookup per entry, whatever row counts the planner expects.
const JOIN_MESSAGE = sql`cross join lateral (
  select origin, sender, mailbox from messages where id = l.message_id limit 1) p
  ${joinCompany(sql`l.company_id`)}`;

const messageConditions = (filter: OutgoingFilter): SQL[] => [
  ...searchCondition(filter, sql`p.sender`, sql`l.recipient`),
  ...(filter.scope ? isOwnOutgoing(filter.scope) : []),
];

const MESSAGE_COLUMNS = sql`p.origin as kind, p.sender,
  ${commonColumns(sql`l.message_id`, sql`l.recipient`)}`;

const STATES = {
  delivered: "delivered",
  bounced: "bounced",
  not_sent: "dropped",
  delayed: "queued",
};

const SHOWN = sql`l.type in ('delivered', 'delivery_delayed', 'bounced', 'failed', 'suppressed')`;

function typeCondition(result: OutgoingFilter["result"]): SQL {
  switch (result) {
    case undefined:
      return SHOWN;
    case "delivered":
      return sql`l.type = 'delivered'`;
    case "delayed":
      return sql`l.type = 'delivery_delayed'`;
    case "bounced":
      return sql`l.type = 'bounced'`;
    case "not_sent":
      return sql`l.type in ('failed', 'suppressed')`;
  }
}

const companyOf = ({ companyId, scope }: OutgoingFilter) => companyId ?? scope?.companyId;

/** Narrows to a company, so that its pages and cursors depend on no other, and to one email or message. */
function ownedBy(parent: SQL, filter: OutgoingFilter): SQL[] {
  const { parentId } = filter;
  const companyId = companyOf(filter);
  return [
    ...(companyId ? [sql`l.company_id = ${companyId}::uuid`] : []),
    ...(parentId ? [sql`${parent} = ${parentId}::uuid`] : []),
  ];
}

// Ids are in the order of time, except for what concurrent processes and commits differ.
const CLOCK_SKEW_MS = 60_000;

const withSkew = (moment: string | undefined) =>
  moment && new Date(Date.parse(moment) - CLOCK_SKEW_MS).toISOString();

/** Narrows to a company, and by id: to one email or message, or to entries before `to`. */
async function withinIds(db: Db, table: SQL, parent: SQL, filter: OutgoingFilter): Promise<SQL[]> {
  const { parentId, to } = filter;
  const owned = ownedBy(parent, filter);
  if (parentId || !to) return owned;
  const end = new Date(Date.parse(to) + CLOCK_SKEW_MS).toISOString();
  return [...owned, sql`l.id < ${await firstIdSince(db, table, end)}::bigint`];
}

const inPeriod = (at: SQL, { from, to }: OutgoingFilter): SQL[] => [
  ...isSince(at, from),
  ...isBefore(at, to),
];

export type OutgoingFilter = TimeRange & {
  /** Substring of the sender or recipient, such as a domain. */
  search?: string | undefined;
  result?: "delivered" | "delayed" | "bounced" | "not_sent" | undefined;
  companyId?: string | undefined;
  /** Id of an email or message. */
  parentId?: string | undefined;
  /** For admins of a company; operators see all. */
  scope?: MailScope | undefined;
};

const searchCondition = ({ search }: OutgoingFilter, sender: SQL, recipient: SQL): SQL[] =>
  search ? [sql`lower(${sender} || ' ' || ${recipient}) like ${containsPattern(search)}`] : [];
