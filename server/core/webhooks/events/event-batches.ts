import { and, asc, eq, type SQL, sql } from "drizzle-orm";

import { webhookEvents } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

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
