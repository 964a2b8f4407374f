import { and, asc, eq, type SQL, sql } from "drizzle-orm";

import { webhookEvents } from "#drizzle/schema/index.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

const BATCH = 1_000;

/** A place among the events of a webhook, oldest first. */
type EventPosition = { createdAt: string; id: string };

const START: EventPosition = { createdAt: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/**
 * Walks once over the events of a webhook, oldest first, in small transactions, so that nobody waits
 * for a webhook with a million: `work` gets the ids of up to a thousand at a time.
 *
 * @param which those of them that it is about
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
  // Until the transaction ends: statistics from before most events came would have each batch read and
  // sort all of them.
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
