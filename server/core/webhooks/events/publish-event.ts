import { and, asc, eq, sql, type SQL } from "drizzle-orm";

import { type Webhook, webhookEvents, type WebhookPayload } from "#drizzle/schema/index.ts";
import { type Context, inTransaction, isTestMode } from "#server/core/shared/context.ts";
import { createWake } from "#server/core/shared/wake.ts";
import type { Db } from "#server/db/client.ts";

import type { WebhookEventType } from "#server/universal/event-types.ts";

/**
 * Locks the webhooks `w` of new events. Without it, a concurrent deletion would make the foreign key, and
 * with it the caller's transaction, fail; with it, the deleted webhook is skipped.
 */
export const LOCK_WEBHOOKS = sql.raw("for key share of w");

/**
 * Records an event for each enabled webhook of the company that subscribes to its type: test webhooks if `isTest` is
 * set in the context, otherwise all others. Call it in the transaction of the change, so that both commit or neither,
 * and `wakeWebhooks` after the commit.
 */
export async function publishEvent(
  ctx: Context,
  type: WebhookEventType,
  data: Record<string, unknown>,
): Promise<void> {
  const payload: WebhookPayload = { type, created_at: ctx.now().toISOString(), data };
  await ctx.db.execute(sql`
    insert into webhook_events (webhook_id, company_id, type, payload, next_attempt_at, created_at)
    select id, company_id, ${type}, ${JSON.stringify(payload)}::json, clock_timestamp(),
      ${payload.created_at}::timestamptz
    from webhooks w
    where company_id = ${ctx.companyId} and status = 'enabled' and ${type} = any(events)
      and is_test = ${isTestMode(ctx)}
    ${LOCK_WEBHOOKS}`);
}

export type LockedWebhook = Pick<Webhook, "id" | "companyId" | "status" | "failures">;

/**
 * Locks the webhooks of events until the transaction ends, in id order to avoid deadlocks. Deleted ones are
 * missing.
 */
export async function lockWebhooksOfEvents(
  db: Db,
  events: { webhookId: string }[],
): Promise<LockedWebhook[]> {
  const ids = [...new Set(events.map(({ webhookId }) => webhookId))];
  const rows = await db.execute<LockedWebhook>(sql`
    select id, company_id as "companyId", status, failures from webhooks
    where id = any(array(select value::uuid from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))
    order by id for no key update`);
  return [...rows];
}

const BATCH = 1_000;

/** A position among a webhook's events, oldest first. */
type EventPosition = { createdAt: string; id: string };

const START: EventPosition = { createdAt: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/**
 * Calls `work` with the ids of up to a thousand of a webhook's events at a time, oldest first, each in its
 * own short transaction: a webhook can have a million events.
 *
 * @param which condition on the events
 */
export async function forEachEventBatch(
  ctx: Context,
  { webhookId, which }: { webhookId: string; which?: SQL | undefined },
  work: (ctx: Context, ids: string[]) => Promise<void>,
): Promise<void> {
  let place: EventPosition | undefined = START;
  while (place) {
    const from: EventPosition = place;
    const batch = await inTransaction(ctx, async (ctx) => {
      const events = await nextBatch(ctx, { webhookId, which, from });
      const ids = events.map(({ id }) => id);
      if (ids.length > 0) await work(ctx, ids);
      return events;
    });
    place = batch.length === BATCH ? batch.at(-1) : undefined;
  }
}

async function nextBatch(
  { db }: Context,
  { webhookId, which, from }: { webhookId: string; which: SQL | undefined; from: EventPosition },
): Promise<EventPosition[]> {
  // For this transaction only: with outdated statistics, each batch would read and sort all events.
  await db.execute(sql`
    select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`);
  const { id, createdAt } = webhookEvents;
  const isBeyond = sql`(${createdAt}, ${id}) > (${from.createdAt}, ${from.id})`;
  return db
    .select({ id, createdAt })
    .from(webhookEvents)
    .where(and(eq(webhookEvents.webhookId, webhookId), isBeyond, which))
    .orderBy(asc(createdAt), asc(id))
    .limit(BATCH);
}

/** Postgres channel that notifies workers of due webhook events. */
export const WEBHOOKS_CHANNEL = "webhooks";

/** Makes the workers check for due webhook events now. They also look when the next one is due, and every half minute. */
export const wakeWebhooks = createWake(WEBHOOKS_CHANNEL);
