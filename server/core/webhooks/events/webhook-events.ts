import { and, eq, getTableColumns, gt, inArray, sql, type SQL } from "drizzle-orm";

import { type Webhook, type WebhookEvent, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import {
  invalidCursor,
  type Page,
  pageNewestFirst,
  type PageRequest,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  COUNT_LIMIT,
  isWebhook,
  lockWebhook,
  requireEnabled,
  requireWebhook,
} from "#server/core/webhooks/endpoints/webhooks.ts";
import type { Db } from "#server/db/client.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";

import type { WebhookEventType } from "#server/universal/event-types.ts";
import { forEachEventBatch, wakeWebhooks } from "./publish-event.ts";

/**
 * Returns an event of a webhook of the company by its public id. No attempt is planned while the webhook is
 * disabled.
 *
 * @throws Refusal `not_found` for the webhook or the event
 */
export async function getWebhookEvent(
  ctx: Context,
  webhookId: string,
  eventId: string,
): Promise<WebhookEvent> {
  const { webhookStatus, ...event } = await requireEvent(ctx, webhookId, eventId);
  return { ...event, nextAttemptAt: webhookStatus === "enabled" ? event.nextAttemptAt : null };
}

const { id, type, createdAt, status, attempts, isTest } = webhookEvents;
const LISTED = { id, type, createdAt, status, attempts, isTest };

/** The subject of the event: an email's first recipient, or a domain. */
const about = sql<string | null>`coalesce(
  ${webhookEvents.payload} #>> '{data,to,0}', ${webhookEvents.payload} #>> '{data,name}')`;

export type ListedWebhookEvent = Pick<WebhookEvent, keyof typeof LISTED>;

/**
 * Returns a page of the events of a webhook of the company, newest first, optionally of one status or type. A
 * cursor is the public id of an event, also if its status has changed since.
 *
 * @throws Refusal `not_found`, or `invalid` for a cursor that is not an event of the webhook
 */
export async function listWebhookEvents(
  ctx: Context,
  webhookId: string,
  page: PageRequest,
  only: { status?: WebhookEvent["status"] | null; type?: WebhookEventType | null } = {},
): Promise<Page<ListedWebhookEvent & { about: string | null }>> {
  const webhook = await requireWebhook(ctx, webhookId);
  const isAsked = and(
    only.status ? eq(webhookEvents.status, only.status) : undefined,
    only.type ? eq(webhookEvents.type, only.type) : undefined,
  );
  const isOfWebhook = eq(webhookEvents.webhookId, webhook.id);
  const list = pageNewestFirst(ctx.db, webhookEvents, isOfWebhook, withUuids(page));
  return list.read(ctx.db.select({ ...LISTED, about }).from(webhookEvents), isAsked);
}

const withUuids = ({ limit, after, before }: PageRequest): PageRequest => ({
  limit,
  after: after === null ? null : uuidOf(after),
  before: before === null ? null : uuidOf(before),
});

function uuidOf(cursor: string): string {
  const uuid = parseEventId(cursor);
  if (uuid === null) throw invalidCursor();
  return uuid;
}

/**
 * Counts a webhook's events with an attempt to come, including those of a disabled webhook; up to 10,000.
 *
 * @throws Refusal `not_found`
 */
export async function countWaiting(ctx: Context, webhookId: string): Promise<number> {
  const webhook = await requireWebhook(ctx, webhookId);
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select from webhook_events
      where webhook_id = ${webhook.id} and next_attempt_at is not null limit ${COUNT_LIMIT}) waiting`);
  return row!.count;
}

/**
 * Counts the events `replayFailed` would replay. Reads every event of the webhook: use it before the replay,
 * not to render a page.
 *
 * @throws Refusal `not_found`
 */
export async function countFailed(ctx: Context, webhookId: string): Promise<number> {
  const webhook = await requireWebhook(ctx, webhookId);
  const [row] = await ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from webhook_events
    where webhook_id = ${webhook.id} and status = 'failed'
      and created_at > statement_timestamp() - interval '30 days'`);
  return row!.count;
}

/** Delivers an event again. For an event never attempted, this is the first attempt of its schedule. */
export async function replayEvent(ctx: Context, webhookId: string, eventId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const webhook = await lockWebhook(ctx, webhookId);
    const event = await requireEvent(ctx, webhookId, eventId);
    requireEnabled(webhook);
    if ((await replayEvents(ctx, eq(webhookEvents.id, event.id))) === 0) throw eventNotFound();
    await recordAudit(ctx, "webhook.event_replayed", { webhookId: event.webhookId, eventId });
  });
  wakeWebhooks(ctx.db);
}

/**
 * Makes events of a webhook due, in the caller's transaction. One that was never attempted isn't a replay: this is the first
 * attempt of its schedule.
 *
 * @returns the number of events
 */
async function replayEvents(ctx: Context, which: SQL | undefined): Promise<number> {
  const { attempts } = webhookEvents;
  const replayed = await ctx.db
    .update(webhookEvents)
    .set({
      nextAttemptAt: sql`clock_timestamp()`,
      isReplay: sql`${attempts} > 0`,
      status: sql`case when ${attempts} > 0 then 'attempting'::webhook_event_status else 'pending' end`,
    })
    .where(which)
    .returning({ id: webhookEvents.id });
  return replayed.length;
}

/**
 * Replays every failed event of the last 30 days of a webhook of the company, oldest first, each once.
 *
 * @returns the number of events
 * @throws Refusal `not_found`, or `invalid` while the webhook is disabled
 */
export async function replayFailed(ctx: Context, webhookId: string): Promise<number> {
  await inTransaction(ctx, async (ctx) => requireEnabled(await lockWebhook(ctx, webhookId)));
  // No parameter, so that the partial index of failed events serves every plan.
  const isFailed = sql`${webhookEvents.status} = 'failed'`;
  const isKept = gt(webhookEvents.createdAt, sql`statement_timestamp() - interval '30 days'`);
  let all = 0;
  await forEachEventBatch(ctx, { webhookId, which: and(isFailed, isKept) }, async (ctx, ids) => {
    requireEnabled(await lockWebhook(ctx, webhookId));
    // Another request may have replayed them before we got the lock.
    const replayed = await replayEvents(ctx, and(isFailed, inArray(webhookEvents.id, ids)));
    if (replayed === 0) return;
    await recordAudit(ctx, "webhook.failed_events_replayed", { webhookId, replayed });
    all += replayed;
  });
  if (all > 0) wakeWebhooks(ctx.db);
  return all;
}

/**
 * Returns the event with this public id (`msg_…`), and the status of its webhook.
 *
 * @throws Refusal `not_found` for the webhook or, if that exists, for the event
 */
export async function requireEvent(
  ctx: Context,
  webhookId: string,
  eventId: string,
): Promise<WebhookEvent & { webhookStatus: Webhook["status"] }> {
  const id = parseEventId(eventId);
  const [event] =
    id === null
      ? []
      : await ctx.db
          .select({ ...getTableColumns(webhookEvents), webhookStatus: webhooks.status })
          .from(webhookEvents)
          .innerJoin(webhooks, eq(webhooks.id, webhookEvents.webhookId))
          .where(and(isWebhook(ctx, webhookId), eq(webhookEvents.id, id)));
  if (event) return event;
  await requireWebhook(ctx, webhookId);
  throw eventNotFound();
}

const eventNotFound = () => new Refusal("not_found", "Webhook event not found");

const PREFIX = "msg_";
const EVENT_ID = /^msg_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The public id of a webhook event: `msg_` and 32 hex digits. */
export const toEventId = (id: string) => PREFIX + id.replaceAll("-", "");

/** Parses a public id to the UUID; null if invalid. */
export function parseEventId(text: string): string | null {
  const groups = EVENT_ID.exec(text)?.slice(1);
  return groups ? groups.join("-") : null;
}

const BATCH = 500;

/**
 * Deletes webhook events older than `days` with their attempts, including pending ones.
 *
 * @returns the number of events deleted
 */
export function deleteOldEvents(db: Db, days: number): Promise<number> {
  const { createdAt } = webhookEvents;
  return deleteInBatches(db, webhookEvents, {
    where: isOlderThan(createdAt, days),
    oldestFirst: createdAt,
    size: BATCH,
  });
}
