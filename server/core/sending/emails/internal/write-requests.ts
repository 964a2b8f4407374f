import { sql, type SQL } from "drizzle-orm";

import { emailAttachments } from "#drizzle/schema/index.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import { storeAnswers } from "#server/core/sending/idempotency/idempotency.ts";
import { acceptanceBlocker } from "#server/core/sending/outbox/queue-depth.ts";
import {
  insertEvents,
  insertOutboxRows,
  QUEUED_COLUMN_TYPES,
  sentAt,
} from "#server/core/sending/outbox/queue-rows.ts";
import { lockTotals, PLATFORM, type Totals } from "#server/core/sending/quotas/totals.ts";
import { wakeScheduler } from "#server/core/sending/schedules/schedules.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { textSafeJson } from "#server/db/text-safe-json.ts";

import { type CheckedRequest, checkRequest } from "./check-request.ts";
import {
  type AcceptedEmail,
  countRecipients,
  type EmailRequest,
  type EmailResult,
} from "./email-request.ts";
import { acceptedEmailRow, bodyRow, eventRows } from "./email-rows.ts";
import { readSendingFacts, type SendingFacts } from "./read-sending-facts.ts";

/** How often sends older than an hour are subtracted from the totals. */
const SWEEP_EVERY_MS = 5_000;

/** Each retry means that another process used up the quota in between. */
const ATTEMPTS = 20;

let sweptAt = -Infinity;

/** Each request's results, or the reason the whole request was rejected. */
type Outcomes = (EmailResult[] | Refusal)[];

/**
 * Accepts requests as if one came after the other, in two round trips whatever their number: one reads what
 * the checks need, one writes everything and rechecks the totals under their lock. If the totals leave no
 * room, or a request exceeds a limit, the totals are swept and everything is checked again.
 */
export async function writeRequests(db: Db, requests: EmailRequest[]): Promise<Outcomes> {
  const companyIds = [...new Set(requests.map(({ companyId }) => companyId))];
  let isSwept = performance.now() - sweptAt > SWEEP_EVERY_MS;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (isSwept) await sweep(db, companyIds);
    const outcomes = await attemptWrite(db, requests, isSwept);
    if (outcomes) return outcomes;
    isSwept = true;
  }
  throw new Error("The recipient totals changed too often to reserve quotas");
}

async function sweep(db: Db, companyIds: string[]): Promise<void> {
  await db.transaction((tx) => lockTotals(tx, companyIds));
  sweptAt = performance.now();
}

async function attemptWrite(
  db: Db,
  requests: EmailRequest[],
  isSwept: boolean,
): Promise<Outcomes | null> {
  const [limits, problem, facts] = await Promise.all([
    currentSettings(db),
    acceptanceBlocker(db),
    readSendingFacts(db, requests),
  ]);
  const overLimit: Refusal[] = [];
  const checked = requests.map((request) => {
    const result = checkRequest(request, facts, problem);
    if (result instanceof Refusal) return result;
    const refusal = reserveQuotas(result, { facts, limits });
    if (refusal) overLimit.push(refusal);
    return refusal ?? result;
  });
  if (overLimit.length > 0 && !isSwept) return null;

  const accepted = checked.flatMap((result) => (result instanceof Refusal ? [] : result));
  const outcomes = checked.map((result) => (result instanceof Refusal ? result : result.results));
  const isPublished = accepted.some(
    ({ change }) => facts.companies.get(change.companyId)?.hasWebhook,
  );
  const taken = quotaUsage(accepted, { facts, limits });
  if (!(await writeAll(db, { accepted, taken, isPublished, outcomes, requests }))) return null;
  if (isPublished) wakeWebhooks(db);
  if (accepted.some(({ accepted: emails }) => emails.some(({ state }) => state === "scheduled")))
    wakeScheduler(db);
  return outcomes;
}

type Write = {
  accepted: CheckedRequest[];
  taken: ReturnType<typeof quotaUsage>;
  isPublished: boolean;
  outcomes: Outcomes;
  requests: EmailRequest[];
};

async function writeAll(db: Db, { accepted, taken, isPublished, outcomes, requests }: Write) {
  const emails = accepted.flatMap((request) => request.accepted);
  const write = { accepted: emails, taken, isPublished };
  const files = emails.flatMap(attachmentRows);
  const sources = emails.flatMap(sourceRows);
  const answers = requests.flatMap((request, index) => storedAnswer(request, outcomes[index]!));
  const sent = requests.flatMap((request, index) => consoleSends(request, outcomes[index]!));
  if (files.length + sources.length + answers.length + sent.length === 0)
    return emails.length === 0 || insertEmails(db, write);
  return db.transaction(async (tx) => {
    if (emails.length > 0 && !(await insertEmails(tx, write))) return false;
    if (files.length > 0) await tx.insert(emailAttachments).values(files);
    if (sources.length > 0) await writeSources(tx, sources);
    await storeAnswers(tx, answers);
    for (const { ctx, email } of sent) await recordConsoleSend({ ...ctx, db: tx }, email);
    return true;
  });
}

async function writeSources(db: Db, sources: { id: string; content: Buffer }[]): Promise<void> {
  const rows = sources.map(({ id, content }) => sql`(${id}::uuid, ${content}::bytea)`);
  await db.execute(sql`
    update email_bodies b set source = e.content
    from (values ${sql.join(rows, sql`, `)}) e(id, content) where b.email_id = e.id`);
}

/** The response to store under the idempotency key. A rejected request releases its key instead. */
function storedAnswer({ keyLock, toAnswer }: EmailRequest, outcome: EmailResult[] | Refusal) {
  if (!keyLock || outcome instanceof Refusal) return [];
  const answer = toAnswer(outcome);
  return answer === null ? [] : [{ keyLock, answer }];
}

/** The emails to record in the audit log with the admin who sent them. */
function consoleSends({ sentBy: ctx, emails }: EmailRequest, outcome: EmailResult[] | Refusal) {
  if (!ctx || outcome instanceof Refusal) return [];
  return outcome.flatMap((result, index) =>
    "id" in result ? { ctx, email: { id: result.id, input: emails[index]! } } : [],
  );
}

const attachmentRows = ({ id, state, input }: AcceptedEmail) =>
  state === "failed"
    ? []
    : input.attachments.map((file, position) => ({ emailId: id, position, ...file }));

const sourceRows = ({ id, state, input }: AcceptedEmail) =>
  state === "failed" || !input.source ? [] : [{ id, content: input.source.content }];

/**
 * Writes accepted emails with their bodies, events and outbox rows and adds to the totals, in one statement.
 * Its text does not depend on the number of rows, so it is prepared once; outside a transaction it commits on
 * its own. If the totals have no room, nothing is written.
 *
 * Totals are checked under their lock, taken in the order of totals.ts. They are not swept first, so
 * they may still include sends older than 60 minutes.
 *
 * @param isPublished whether a webhook may subscribe; otherwise webhooks are not looked up
 * @returns whether there was room
 */
async function insertEmails(
  db: Db,
  {
    accepted,
    taken,
    isPublished,
  }: { accepted: AcceptedEmail[]; taken: QuotaUsage[]; isPublished: boolean },
): Promise<boolean> {
  const returning = isPublished ? sql`returning *` : sql``;
  const [row] = await db.execute<{ fits: boolean }>(sql`
    with taken as materialized (
      select * from json_to_recordset(${JSON.stringify(taken)}::json) as t(scope uuid, hour bigint,
        hour_max bigint, month bigint, month_max bigint, scheduled bigint,
        scheduled_max bigint)
    ), held as materialized (
      select * from sending_totals where scope = any(array(select scope from taken))
      order by scope for update
    ), room as materialized (
      select count(*) = (select count(*) from taken) and coalesce(bool_and(${HAS_ROOM}), true) as fits
      from taken join held using (scope)
    ), totals as (
      update sending_totals t set hour_recipients = t.hour_recipients + taken.hour,
        scheduled_recipients = t.scheduled_recipients + taken.scheduled,
        month_recipients = ${MONTH} + taken.month, month = ${THIS_MONTH}
      from taken where t.scope = taken.scope and (select fits from room)
    ), seconds as (
      insert into sending_seconds as s (scope, second, recipients)
      select scope, floor(extract(epoch from statement_timestamp())), hour from taken, room
      where fits and hour > 0
      on conflict (scope, second) do update set recipients = s.recipients + excluded.recipients
    ), mail as (
      ${emailsOf(accepted)} ${returning}
    ), bodies as (
      ${bodiesOf(accepted)}
    ), events as (
      ${insertEvents(accepted.flatMap(eventRows))} ${IF_FITS} ${returning}
    ), waiting as (
      ${insertOutboxRows(accepted)} ${IF_FITS}
    ) ${isPublished ? PUBLISHED : sql``}
    select fits from room`);
  return row!.fits;
}

const PUBLISHED = sql`, published as (${publishEmailEvents("events", "mail")})`;

/** By the database's clock, as refunds and scheduled emails count. */
const THIS_MONTH = sql.raw(`to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-01')`);

const HAS_ROOM = sql`
  (taken.hour = 0 or taken.hour_max is null or held.hour_recipients + taken.hour <= taken.hour_max)
  and (taken.month = 0 or taken.month_max is null
    or case when held.month = ${THIS_MONTH} then held.month_recipients else 0 end + taken.month
      <= taken.month_max)
  and (taken.scheduled = 0 or taken.scheduled_max is null
    or held.scheduled_recipients + taken.scheduled <= taken.scheduled_max)`;

const MONTH = sql`case when t.month = ${THIS_MONTH} then t.month_recipients else 0 end`;

const IF_FITS = sql.raw("where (select fits from room)");

const emailsOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into emails (id, company_id, domain_id, api_key_id, sent_by_admin_id, message_id, "from",
    subject, "to", cc, bcc, reply_to, tags, last_event, event_types, sent_at, scheduled_at, due_at,
    open_tracking, click_tracking, size, is_test)
  select id, company_id, domain_id, api_key_id, sent_by_admin_id, message_id, "from", subject, "to", cc,
    bcc, reply_to, tags, last_event, event_types, ${sentAt("t")}, scheduled_at, scheduled_at,
    open_tracking, click_tracking, size, is_test
  from json_to_recordset(${textSafeJson(accepted.map(acceptedEmailRow))}::json) as t(id uuid, company_id uuid,
    domain_id uuid, api_key_id uuid, sent_by_admin_id uuid, "from" text, subject text, "to" text[],
    cc text[], bcc text[], reply_to text[], tags jsonb, scheduled_at timestamptz, size int, is_test boolean,
    ${QUEUED_COLUMN_TYPES})
  ${IF_FITS}`;

/** A failed email is never sent, so its body isn't stored. */
const bodiesOf = (accepted: AcceptedEmail[]): SQL => sql`
  insert into email_bodies (email_id, address_headers, html, text, headers)
  select * from json_to_recordset(${textSafeJson(
    accepted.filter(({ state }) => state !== "failed").map(bodyRow),
  )}::json) as t(email_id uuid, address_headers jsonb, html text, text text, headers jsonb)
  ${IF_FITS}`;

/** Records that an admin sends an email from the console, in the transaction that accepts it. */
const recordConsoleSend = (ctx: Context, email: { id: string; input: EmailInput }): Promise<void> =>
  recordAudit(ctx, "email.sent", {
    email: email.id,
    from: email.input.fromAddress.address,
    recipients: countRecipients(email.input),
  });

type Bounds = { facts: Pick<SendingFacts, "companies">; limits: Settings };

/** Sums what accepted requests add to the totals of each company and of the platform, with the limits. */
function quotaUsage(accepted: CheckedRequest[], { facts, limits }: Bounds): QuotaUsage[] {
  const companies = new Map<string, QuotaUsage>();
  let platformHour = 0;
  for (const { change } of accepted) {
    const { companyId, hour, month, scheduled } = change;
    if (hour + month + scheduled === 0) continue;
    const taken = companies.get(companyId);
    if (taken) {
      taken.hour += hour;
      taken.month += month;
      taken.scheduled += scheduled;
    } else
      companies.set(companyId, {
        scope: companyId,
        hour,
        hour_max: limits.hourly_recipients_company,
        month,
        month_max: facts.companies.get(companyId)!.monthlyAllowance,
        scheduled,
        scheduled_max: limits.scheduled_backlog,
      });
    platformHour += hour;
  }
  if (companies.size === 0) return [];
  const platform = {
    scope: PLATFORM,
    hour: platformHour,
    hour_max: limits.hourly_recipients_platform,
    month: 0,
    month_max: null,
    scheduled: 0,
    scheduled_max: null,
  };
  return [platform, ...companies.values()];
}

type Quotas = {
  /** Totals include everything accepted so far: each reservation adds to them. */
  facts: Pick<SendingFacts, "companies" | "platform">;
  limits: Settings;
};

/**
 * Reserves the quotas of a request's emails: all of them or, if one is exceeded, none. The errors carry no
 * retry time, since a sliding hour or a month offers none.
 */
function reserveQuotas({ change }: CheckedRequest, quotas: Quotas): Refusal | null {
  const { platform, companies } = quotas.facts;
  const { totals } = companies.get(change.companyId)!;
  const refusal = findExceededLimit(change, totals, quotas);
  if (refusal) return refusal;
  totals.hour += change.hour;
  platform.hour += change.hour;
  totals.month += change.month;
  totals.scheduled += change.scheduled;
  return null;
}

function findExceededLimit(
  { companyId, hour, month, scheduled }: CheckedRequest["change"],
  totals: Totals,
  { facts: { platform, companies }, limits }: Quotas,
): Refusal | null {
  if (hour > 0) {
    const isOver =
      totals.hour + hour > limits.hourly_recipients_company ||
      platform.hour + hour > limits.hourly_recipients_platform;
    if (isOver) return new Refusal("rate_limit_exceeded", "Hourly sending limit reached");
  }
  const { monthlyAllowance } = companies.get(companyId)!;
  if (monthlyAllowance !== null && month > 0 && totals.month + month > monthlyAllowance)
    return new Refusal("monthly_quota_exceeded", "The plan's monthly allowance is used up");
  if (scheduled > 0 && totals.scheduled + scheduled > limits.scheduled_backlog)
    return new Refusal(
      "rate_limit_exceeded",
      `At most ${limits.scheduled_backlog} recipients can wait in scheduled emails. Try again once some have been sent`,
    );
  return null;
}

/** What to add to the totals of a scope, and their limits; null for no limit. */
type QuotaUsage = {
  scope: string;
  hour: number;
  hour_max: number | null;
  month: number;
  month_max: number | null;
  scheduled: number;
  scheduled_max: number | null;
};
