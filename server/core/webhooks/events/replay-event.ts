import { eq, type SQL, sql } from "drizzle-orm";

import { webhookEvents } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { eventNotFound, requireEvent } from "./require-event.ts";
import { lockWebhook, requireEnabled } from "#server/core/webhooks/endpoints/require-webhook.ts";
import { wakeWebhooks } from "./wake-deliveries.ts";

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
export async function replayEvents(ctx: Context, which: SQL | undefined): Promise<number> {
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
