import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";

import {
  admins,
  apiKeys,
  domains,
  type Email,
  emailBodies,
  type EmailBody,
  type EmailEvent,
  emailEvents,
  type EmailEventType,
  emails,
  type EmailState,
  type Suppression,
} from "#drizzle/schema/index.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { type Context, inMode } from "#server/core/shared/context.ts";
import {
  invalidCursor,
  type Page,
  pageNewestFirst,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

// Excludes the source, which can be 35 MB; queue-rows.ts reads it where needed.
const bodyColumns = {
  emailId: emailBodies.emailId,
  addressHeaders: emailBodies.addressHeaders,
  html: emailBodies.html,
  text: emailBodies.text,
  headers: emailBodies.headers,
  createdAt: emailBodies.createdAt,
};

/** Condition for the company's email with this id, a UUID, in the caller's mode. */
export const isEmail = (ctx: Context, id: string): SQL | undefined =>
  and(eq(emails.id, id), eq(emails.companyId, ctx.companyId), inMode(ctx, emails.isTest));

/**
 * Returns an email of the company, with its body while that is retained.
 *
 * @throws Refusal `not_found`
 */
export async function getEmail(
  ctx: Context,
  id: string,
): Promise<{ email: Email; body: Omit<EmailBody, "source"> | null }> {
  const [found] = await ctx.db
    .select({ email: emails, body: bodyColumns })
    .from(emails)
    .leftJoin(emailBodies, eq(emailBodies.emailId, emails.id))
    .where(isEmail(ctx, id));
  if (!found) throw new Refusal("not_found", "Email not found");
  return found;
}

const { id, messageId, from, subject, to, cc, bcc, replyTo } = emails;
const { lastEvent, createdAt, scheduledAt } = emails;

const LISTED = {
  id,
  messageId,
  from,
  subject,
  to,
  cc,
  bcc,
  replyTo,
  lastEvent,
  createdAt,
  scheduledAt,
};

export type ListedEmail = Pick<Email, keyof typeof LISTED>;

/**
 * Returns a page of the company's emails, newest first.
 *
 * @throws Refusal `invalid` for a cursor that is not an email of the company
 */
export async function listEmails(ctx: Context, page: PageRequest): Promise<Page<ListedEmail>> {
  const inList = and(eq(emails.companyId, ctx.companyId), inMode(ctx, emails.isTest));
  const list = pageNewestFirst(ctx.db, emails, inList, page);
  return list.read(ctx.db.select(LISTED).from(emails));
}

/**
 * Returns a page of an email's events, oldest first.
 *
 * @param type only events of this type
 * @throws Refusal `not_found`, or `invalid` for a cursor that is not an event of this email
 */
export async function listEmailEvents(
  ctx: Context,
  emailId: string,
  page: PageRequest,
  type?: EmailEventType,
): Promise<Page<EmailEvent>> {
  const rows = await readEvents(ctx, emailId, { ...page, type });
  // Only an empty page needs the checks: does the email exist, and is the cursor one of its events?
  if (rows.length === 0) {
    await requireEmail(ctx, emailId);
    await requireCursor(ctx, emailId, page);
  }
  return toPage(rows, page);
}

/** Returns nothing if the cursor is not an event of the email. */
async function readEvents(
  ctx: Context,
  emailId: string,
  { type, ...page }: PageRequest & { type: EmailEventType | undefined },
): Promise<EmailEvent[]> {
  const cursor = page.after ?? page.before;
  if (cursor !== null && !isEventId(cursor)) return [];
  const isForward = page.before === null;
  const direction = isForward ? asc : desc;
  const atCursor = eventsOf(ctx, emailId, cursor);
  return ctx.db
    .select()
    .from(emailEvents)
    .where(
      and(
        eq(emailEvents.emailId, emailId),
        eq(emailEvents.companyId, ctx.companyId),
        isOfMode(ctx, emailId),
        type && eq(emailEvents.type, type),
        cursor === null
          ? undefined
          : sql`${emailEvents.id} ${sql.raw(isForward ? ">" : "<")} (${atCursor})`,
      ),
    )
    .orderBy(direction(emailEvents.id))
    .limit(page.limit + 1);
}

function isOfMode(ctx: Context, emailId: string): SQL | undefined {
  const mode = inMode(ctx, emails.isTest);
  return mode && sql`(select ${mode} from ${emails} where ${emails.id} = ${emailId})`;
}

async function requireCursor(ctx: Context, emailId: string, { after, before }: PageRequest) {
  const cursor = after ?? before;
  if (cursor === null) return;
  if (!isEventId(cursor) || (await eventsOf(ctx, emailId, cursor)).length === 0)
    throw invalidCursor();
}

const isEventId = (text: string) => /^\d{1,18}$/.test(text);

const eventsOf = (ctx: Context, emailId: string, id: string | null) =>
  ctx.db
    .select({ id: emailEvents.id })
    .from(emailEvents)
    .where(and(sql`${emailEvents.id} = ${id}`, eq(emailEvents.emailId, emailId)));

/** The outcome for one recipient of an email, or what it is waiting for. */
export type RecipientOutcome = {
  address: string;
  field: "to" | "cc" | "bcc";
  state: EmailState;
  /** Null before the first outcome. */
  at: string | null;
  /** Enhanced status code and reply of the receiving server. */
  dsn: string | null;
  message: string | null;
  reason: string | null;
  /** Attempts that failed temporarily. */
  failures: number;
  /** Null if no attempt is due. */
  nextAttemptAt: string | null;
  isInProgress: boolean;
  /** When delivery is given up; null if nothing is queued. */
  expiresAt: string | null;
  /** Set if the address is on the company's suppression list. */
  suppression: {
    id: string;
    origin: Suppression["origin"];
    isOfThisEmail: boolean;
  } | null;
};

/** Lists the outcome for each recipient of an email of the company, each address once, in field order. */
export async function listRecipientOutcomes(
  ctx: Context,
  emailId: string,
): Promise<RecipientOutcome[]> {
  const { retry_hours_email: retryHours } = await currentSettings(ctx.db);
  const rows = await ctx.db.execute<RecipientOutcome>(sql`
    with email as materialized (
      select id, company_id, last_event, "to", cc, bcc from emails
      where id = ${emailId}::uuid and company_id = ${ctx.companyId}::uuid
    ), named as (
      select address, 'to' as field, place from email, unnest("to") with ordinality as t(address, place)
      union all select address, 'cc', 1000 + place from email, unnest(cc) with ordinality as t(address, place)
      union all select address, 'bcc', 2000 + place from email, unnest(bcc) with ordinality as t(address, place)
    ), recipient as (
      select distinct on (address) address, field, place from named order by address, place
    )
    select r.address, r.field, own.at, own.dsn, own.message,
      coalesce(own.reason, case
        when own.type is null or own.type = 'delivery_delayed' and w.id is null then whole.reason end) as reason,
      coalesce(case
        when w.id is not null and own.type is distinct from 'delivery_delayed' then 'sent'
        when own.type = 'delivery_delayed' and w.id is null and whole.type = 'failed' then 'failed'
        when own.type is not null then own.type::text
        else whole.type::text end, email.last_event::text) as state,
      coalesce(w.attempt, 0) as failures, w.next_attempt_at as "nextAttemptAt",
      w.lease_until is not null as "isInProgress",
      greatest(w.retries_from, w.created_at) + make_interval(hours => ${retryHours}) as "expiresAt",
      case when s.id is not null then json_build_object('id', s.id, 'origin', s.origin,
        'isOfThisEmail', coalesce(s.source_id = email.id, false)) end as suppression
    from recipient r cross join email
      left join lateral (
        select type, dsn, message, reason, created_at as at from email_events
        where email_id = email.id and recipient = r.address
          and type in ('delivered', 'delivery_delayed', 'bounced', 'failed', 'suppressed')
        order by id desc limit 1) own on true
      left join lateral (
        select type, reason from email_events
        where email_id = email.id and recipient is null
          and type in ('scheduled', 'queued', 'sent', 'failed', 'canceled')
        order by id desc limit 1) whole on true
      left join lateral (
        select id, attempt, next_attempt_at, lease_until, created_at, retries_from from outbox
        where email_id = email.id and recipient = r.address limit 1) w on true
      left join suppressions s on s.company_id = email.company_id and s.email = lower(r.address)
    order by r.place`);
  return [...rows];
}

/** What an email was sent from. */
export type EmailOrigin = {
  /** Null if deleted. */
  domain: { id: string; name: string } | null;
  /** Null: sent from the console or by the appliance. */
  apiKey: { id: string; name: string; isRevoked: boolean } | null;
  /** The address of the admin who sent it from the console; null for API keys, or if the admin was removed. */
  sentBy: string | null;
};

/**
 * Returns what an email of the company was sent from.
 *
 * @throws Refusal `not_found`
 */
export async function readOrigin(ctx: Context, emailId: string): Promise<EmailOrigin> {
  const [origin] = await ctx.db
    .select({
      domain: { id: domains.id, name: domains.name },
      apiKey: {
        id: apiKeys.id,
        name: apiKeys.name,
        isRevoked: sql<boolean>`${apiKeys.revokedAt} is not null`,
      },
      sentBy: admins.email,
    })
    .from(emails)
    .leftJoin(domains, eq(domains.id, emails.domainId))
    .leftJoin(apiKeys, eq(apiKeys.id, emails.apiKeyId))
    .leftJoin(
      admins,
      and(eq(admins.id, emails.sentByAdminId), eq(admins.companyId, emails.companyId)),
    )
    .where(and(eq(emails.id, emailId), eq(emails.companyId, ctx.companyId)));
  if (!origin) throw new Refusal("not_found", "Email not found");
  return origin;
}

/** @throws Refusal `not_found` unless the company has an email with this id */
export async function requireEmail(ctx: Context, id: string): Promise<void> {
  const [email] = await ctx.db.select({ id: emails.id }).from(emails).where(isEmail(ctx, id));
  if (!email) throw new Refusal("not_found", "Email not found");
}
