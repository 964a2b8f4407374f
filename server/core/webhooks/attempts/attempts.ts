import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";

import { type WebhookAttempt, webhookAttempts } from "#drizzle/schema/index.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/pages.ts";
import {
  type LockedWebhook,
  lockWebhooksOfEvents,
} from "#server/core/webhooks/events/publish-event.ts";
import { requireEvent, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import type { Db } from "#server/db/client.ts";

import type { LeasedEvent } from "./event-leases.ts";
import {
  countFailures,
  type FailureCount,
  planNextAttempt,
  type RetryPlan,
} from "./plan-next-attempt.ts";

/** Bounded to fit an int column. */
const NUMBER = /^[1-9]\d{0,8}$/;

/**
 * Returns a page of the stored attempts of an event, newest first. Cursors are attempt ids.
 *
 * @throws Refusal `not_found` for the webhook or the event, `invalid` for a cursor that is not a stored
 *   attempt
 */
export async function listAttempts(
  ctx: Context,
  webhookId: string,
  eventId: string,
  page: PageRequest,
): Promise<Page<WebhookAttempt & { id: string }>> {
  const event = await requireEvent(ctx, webhookId, eventId);
  const number = await cursorNumber(ctx, event.id, page);
  const isForward = page.before === null;
  const isBeyond = isForward ? lt : gt;
  const rows = await ctx.db
    .select()
    .from(webhookAttempts)
    .where(
      and(
        eq(webhookAttempts.eventId, event.id),
        number === null ? undefined : isBeyond(webhookAttempts.number, number),
      ),
    )
    .orderBy((isForward ? desc : asc)(webhookAttempts.number))
    .limit(page.limit + 1);
  return toPage(
    rows.map((attempt) => ({ ...attempt, id: attemptIdOf(attempt) })),
    page,
  );
}

async function cursorNumber(
  ctx: Context,
  eventId: string,
  { after, before }: PageRequest,
): Promise<number | null> {
  const cursor = after ?? before;
  if (cursor === null) return null;
  const number = attemptNumberOf(eventId, cursor);
  if (number === null) throw invalidCursor();
  const isAtCursor = and(eq(webhookAttempts.eventId, eventId), eq(webhookAttempts.number, number));
  if ((await ctx.db.$count(webhookAttempts, isAtCursor)) === 0) throw invalidCursor();
  return number;
}

/** The public id of an attempt: its event's id, `_` and its number. */
const attemptIdOf = ({ eventId, number }: Pick<WebhookAttempt, "eventId" | "number">) =>
  `${toEventId(eventId)}_${number}`;

/** Parses the attempt number from a public id; null if invalid. */
function attemptNumberOf(eventId: string, text: string): number | null {
  const prefix = `${toEventId(eventId)}_`;
  const number = text.slice(prefix.length);
  return text.startsWith(prefix) && NUMBER.test(number) ? Number(number) : null;
}

/** Events scanned of each kind: enough to find a recent failure, however many are waiting. */
const SCAN_LIMIT = 500;

export type LastFailure = { error: string; sentAt: string };

/**
 * Finds the newest failed attempt of a webhook; null if none is stored. Scans the events with the latest
 * retries and the newest ones, not all: a webhook can have a million.
 */
export async function findLastFailure(db: Db, webhookId: string): Promise<LastFailure | null> {
  const [failure] = await db.execute<LastFailure>(sql`
    select a.error, a.sent_at as "sentAt" from (
      (select id from webhook_events
        where webhook_id = ${webhookId} and next_attempt_at is not null and attempts > 0
        order by webhook_id, next_attempt_at desc, id desc limit ${SCAN_LIMIT})
      union
      (select id from (
        select id, attempts from webhook_events where webhook_id = ${webhookId}
        order by webhook_id, created_at desc, id desc limit ${SCAN_LIMIT}) newest
      where attempts > 0)
    ) e join webhook_attempts a on a.event_id = e.id
    where a.error is not null order by a.sent_at desc limit 1`);
  return failure ?? null;
}

/** The outcome of an attempt. */
export type Attempt = Pick<LeasedEvent, "id" | "webhookId" | "lease" | "isReplay"> &
  Pick<WebhookAttempt, "httpStatusCode" | "response" | "error" | "durationMs" | "sentAt">;

/** The error of an attempt during which workers died. */
export const INTERRUPTED = "interrupted";

/** Stored attempts per event. */
const ATTEMPTS_MAX = 50;

/**
 * Records attempts in the order in which they ended, in one transaction: the attempts, the new states of their events,
 * and the consecutive failures of their webhooks. A webhook that reaches 100 is disabled, with an entry in the audit
 * log and a notice to admins.
 *
 * Only attempts with a valid lease are recorded. Repeating a batch does nothing, so a caller that doesn't
 * know whether its commit succeeded can retry. Deleted events and webhooks are ignored.
 *
 * @returns whether an event is due at once because a replay was requested meanwhile
 */
export async function recordAttempts(
  db: Db,
  attempts: Attempt[],
): Promise<{ hasDueEvent: boolean }> {
  if (attempts.length === 0) return { hasDueEvent: false };
  return db.transaction(async (tx) => {
    // Webhooks are locked before events everywhere; the lock also serializes the failure counts.
    const webhooks = await lockWebhooksOfEvents(tx, attempts);
    const held = await lockLeased(tx, attempts);
    const counted = attempts.flatMap((attempt) => {
      const event = held.get(attempt.id);
      return event?.lease === attempt.lease ? { attempt, plan: planAfter(attempt, event) } : [];
    });
    await write(tx, counted);
    // Interrupted ones don't count against the endpoint.
    const ended = counted.map(({ attempt }) => attempt);
    await storeFailureCounts(
      tx,
      webhooks,
      ended.filter(({ error }) => error !== INTERRUPTED),
    );
    return { hasDueEvent: counted.some(({ plan }) => plan.waitSeconds === 0) };
  });
}

type LeasedRow = { id: string; lease: string; scheduled: number; isReplay: boolean };

async function lockLeased(db: Db, attempts: Attempt[]): Promise<Map<string, LeasedRow>> {
  const given = attempts.map(({ id, lease }) => ({ id, lease }));
  const rows = await db.execute<LeasedRow>(sql`
    select e.* from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, lease uuid)
    cross join lateral (
      select id, lease_owner as lease, scheduled, is_replay as "isReplay" from webhook_events
      where id = given.id for no key update) e`);
  return new Map(rows.map((row) => [row.id, row]));
}

function planAfter(attempt: Attempt, event: LeasedRow): RetryPlan {
  return planNextAttempt({
    scheduled: event.scheduled,
    succeeded: attempt.error === null,
    wasReplay: attempt.isReplay,
    isReplayRequested: event.isReplay,
  });
}

async function write(db: Db, counted: { attempt: Attempt; plan: RetryPlan }[]): Promise<void> {
  const rows = counted.map(({ attempt, plan }) => ({ ...attempt, ...plan }));
  await db.execute(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t(
        id uuid, "httpStatusCode" int, response text, error text, "durationMs" int,
        "sentAt" timestamptz, status webhook_event_status, scheduled smallint, "waitSeconds" int)
    ), tried as (
      update webhook_events set attempts = attempts + 1, scheduled = given.scheduled,
        status = given.status, lease_until = null, lease_owner = null,
        next_attempt_at = clock_timestamp() + make_interval(secs => given."waitSeconds")
      from given
      where webhook_events.id = any(array(select id from given)) and webhook_events.id = given.id
      returning webhook_events.id, attempts, "httpStatusCode", response, error, "durationMs", "sentAt"
    ), forgotten as (
      delete from webhook_attempts using tried
      where event_id = any(array(select id from tried where attempts > ${ATTEMPTS_MAX}))
        and event_id = tried.id and number <= tried.attempts - ${ATTEMPTS_MAX}
    )
    insert into webhook_attempts
      (event_id, number, http_status_code, response, error, duration_ms, sent_at)
    select id, attempts, "httpStatusCode", response, error, "durationMs", "sentAt" from tried`);
}

type Counted = { webhook: LockedWebhook; count: FailureCount };

/**
 * Updates the consecutive failures of webhooks and disables those that reach the limit. Ignores webhooks
 * disabled meanwhile.
 *
 * @param webhooks locked by the caller
 * @param attempts in the order in which they ended
 */
async function storeFailureCounts(
  db: Db,
  webhooks: LockedWebhook[],
  attempts: { webhookId: string; error: string | null }[],
): Promise<void> {
  const results = Map.groupBy(attempts, ({ webhookId }) => webhookId);
  const changed = webhooks.flatMap((webhook): Counted[] => {
    const ended = results.get(webhook.id);
    if (!ended || webhook.status === "disabled") return [];
    const count = countFailures(
      webhook.failures,
      ended.map(({ error }) => error === null),
    );
    return webhook.failures === 0 && count.failures === 0 ? [] : [{ webhook, count }];
  });
  if (changed.length === 0) return;
  await writeFailureCounts(db, changed);
  for (const { webhook, count } of changed)
    if (count.isLimitReached) await notifyDisabled(db, webhook, count.failures);
}

async function writeFailureCounts(db: Db, changed: Counted[]): Promise<void> {
  const rows = changed.map(({ webhook, count }) => ({
    id: webhook.id,
    ...count,
    isNewStreak: webhook.failures === 0 || count.hasSucceeded,
  }));
  await db.execute(sql`
    update webhooks set failures = given.failures,
      failing_since = case when given.failures = 0 then null
        when given."isNewStreak" then clock_timestamp() else failing_since end,
      noticed_at = case when given."hasSucceeded" then null else noticed_at end,
      status = case when given."isLimitReached" then 'disabled' else status end,
      disabled_for_failures_at = case when given."isLimitReached" then clock_timestamp() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(
      id uuid, failures int, "hasSucceeded" boolean, "isLimitReached" boolean, "isNewStreak" boolean)
    where webhooks.id = given.id`);
}

async function notifyDisabled(db: Db, webhook: LockedWebhook, failures: number): Promise<void> {
  const { id: webhookId, companyId } = webhook;
  const ctx = createContext(db, companyId, { kind: "system", task: "webhooks" });
  await recordAudit(ctx, "webhook.disabled", { webhookId, failures });
  await notifyAdmins(ctx, { kind: "webhook_disabled", webhookId });
}
