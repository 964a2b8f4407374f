import { type SQL, sql } from "drizzle-orm";

import type { MessageOrigin } from "#drizzle/schema/index.ts";
import { containsPattern } from "#server/core/shared/paging/pages.ts";
import type { Db } from "#server/db/client.ts";

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
    !scope ||
    (scope.mailbox === undefined && scope.callerPrivileges.privileges.has("api_controls"));
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
    columns: sql`'email' as source, 'email' as kind, ${commonColumns(sql`l.email_id`, sql`l.company_id`, recipient)},
      p."from" as sender, case l.type when 'delivery_delayed' then 'delayed' when 'delivered' then 'delivered'
        when 'bounced' then 'bounced' else 'not_sent' end as result,
      l.dsn, coalesce(l.message, l.reason) as reply, l.tls`,
    within: await withinIds(db, sql`email_events`, sql`l.email_id`, filter),
    since: withSkew(filter.from),
    fits: [
      typeCondition(filter.result),
      ...inPeriod(sql`l.created_at`, filter),
      ...filterConditions(filter, {
        companyId: sql`l.company_id`,
        recipient,
        sender: sql`p."from"`,
      }),
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
      ...parentCondition(sql`l.message_id`, filter),
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

const commonColumns = (parentId: SQL, companyId: SQL, recipient: SQL): SQL =>
  sql`${parentId} as "parentId", ${companyId} as "companyId", c.name as "companyName",
    ${recipient} as recipient, split_part(${recipient}, '@', -1) as destination`;

// The limit forces a lookup per entry, whatever row counts the planner expects.
const JOIN_MESSAGE = sql`cross join lateral (
  select company_id, origin, sender, mailbox from messages where id = l.message_id limit 1) p
  ${joinCompany(sql`p.company_id`)}`;

const messageConditions = (filter: OutgoingFilter): SQL[] => [
  ...filterConditions(filter, {
    companyId: sql`p.company_id`,
    recipient: sql`l.recipient`,
    sender: sql`p.sender`,
  }),
  ...(filter.scope ? isOwnOutgoing(filter.scope) : []),
];

const MESSAGE_COLUMNS = sql`p.origin as kind, p.sender,
  ${commonColumns(sql`l.message_id`, sql`p.company_id`, sql`l.recipient`)}`;

const STATES = {
  delivered: "delivered",
  bounced: "bounced",
  not_sent: "dropped",
  delayed: "queued",
};

function typeCondition(result: OutgoingFilter["result"]): SQL {
  switch (result) {
    case undefined:
      return sql`l.type in ('delivered', 'delivery_delayed', 'bounced', 'failed', 'suppressed')`;
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

const parentCondition = (column: SQL, { parentId }: OutgoingFilter): SQL[] =>
  parentId ? [sql`${column} = ${parentId}::uuid`] : [];

// Ids are in the order of time, except for what concurrent processes and commits differ.
const CLOCK_SKEW_MS = 60_000;

const withSkew = (moment: string | undefined) =>
  moment && new Date(Date.parse(moment) - CLOCK_SKEW_MS).toISOString();

/** Narrows by id: to one email or message, or to entries before `to`. */
async function withinIds(
  db: Db,
  table: SQL,
  parent: SQL,
  { parentId, to }: OutgoingFilter,
): Promise<SQL[]> {
  if (parentId) return parentCondition(parent, { parentId });
  if (!to) return [];
  const end = new Date(Date.parse(to) + CLOCK_SKEW_MS).toISOString();
  return [sql`l.id < ${await firstIdSince(db, table, end)}::bigint`];
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

/** The conditions for the filter's company and search, on the columns of the given table. */
function filterConditions(
  { search, scope, companyId = scope?.companyId }: OutgoingFilter,
  columns: { companyId: SQL; recipient: SQL; sender: SQL },
): SQL[] {
  return [
    ...(companyId ? [sql`${columns.companyId} = ${companyId}::uuid`] : []),
    ...(search
      ? [
          sql`lower(${columns.sender} || ' ' || ${columns.recipient}) like ${containsPattern(search)}`,
        ]
      : []),
  ];
}
