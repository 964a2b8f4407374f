import { and, eq, isNotNull, sql } from "drizzle-orm";

import { webhookEvents, type WebhookPayload } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";

import { toEventId } from "./webhook-events.ts";
import { lockWebhook, requireEnabled } from "#server/core/webhooks/endpoints/webhooks.ts";
import { wakeWebhooks } from "./publish-event.ts";

const EMAIL_ID = "00000000-0000-4000-8000-000000000000";

/**
 * Records a test event for a webhook of the company, whatever it subscribes to. It is delivered like any
 * other.
 *
 * @returns the event's UUID
 * @throws Refusal `not_found`; `invalid` while the webhook is disabled; `rate_limit_exceeded` if
 *   `test_events_waiting` (a setting) events are pending
 */
export async function sendTestEvent(ctx: Context, id: string): Promise<string> {
  const { test_events_waiting: waitingMax } = await currentSettings(ctx.db);
  const eventId = await inTransaction(ctx, async (ctx) => {
    const webhook = await lockWebhook(ctx, id);
    requireEnabled(webhook);
    await requireUnderLimit(ctx, webhook.id, waitingMax);
    const payload = testPayload(ctx.now());
    const [event] = await ctx.db
      .insert(webhookEvents)
      .values({
        webhookId: webhook.id,
        companyId: ctx.companyId,
        type: payload.type,
        payload,
        isTest: true,
        nextAttemptAt: sql`clock_timestamp()`,
        createdAt: payload.created_at,
      })
      .returning({ id: webhookEvents.id });
    await recordAudit(ctx, "webhook.tested", {
      webhookId: webhook.id,
      eventId: toEventId(event!.id),
    });
    return event!.id;
  });
  wakeWebhooks(ctx.db);
  return eventId;
}

/** Call it with the webhook locked, so that concurrent calls can't exceed the limit. */
async function requireUnderLimit(
  ctx: Context,
  webhookId: string,
  waitingMax: number,
): Promise<void> {
  const { isTest, nextAttemptAt } = webhookEvents;
  const waiting = await ctx.db.$count(
    webhookEvents,
    and(eq(webhookEvents.webhookId, webhookId), isNotNull(nextAttemptAt), sql`${isTest}`),
  );
  if (waiting >= waitingMax)
    throw new Refusal(
      "rate_limit_exceeded",
      `${waiting} test events of this webhook are still pending. Try again once one has been delivered`,
    );
}

function testPayload(now: Date): WebhookPayload {
  const created_at = now.toISOString();
  return {
    type: "email.sent",
    created_at,
    data: {
      created_at,
      email_id: EMAIL_ID,
      from: "Northwind <hello@shop.example>",
      to: ["ben@example.net"],
      subject: "Test event",
      tags: { test: "true" },
    },
  };
}
