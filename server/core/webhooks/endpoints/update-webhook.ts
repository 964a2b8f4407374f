import { isDeepStrictEqual } from "node:util";

import { and, eq, gt, sql } from "drizzle-orm";

import { type Webhook, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";

import { parseEndpoint } from "./parse-endpoint.ts";
import { parseEventTypes } from "./internal/parse-event-types.ts";
import { lockWebhook } from "./require-webhook.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";

/** Omitted fields stay unchanged. */
export type WebhookChanges = {
  endpoint?: string | undefined;
  /** Replaces the list. */
  events?: readonly string[] | undefined;
  status?: Webhook["status"] | undefined;
};

/**
 * Updates a webhook of the company. While it is disabled, no events are recorded for it and pending ones
 * wait; enabling it resets its failures and makes them due at once.
 *
 * @throws Refusal `invalid` for the endpoint or the events, `not_found`
 */
export async function updateWebhook(
  ctx: Context,
  id: string,
  changes: WebhookChanges,
): Promise<void> {
  const { endpoint, events } = readFields({
    endpoint: () => (changes.endpoint === undefined ? undefined : parseEndpoint(changes.endpoint)),
    events: () => (changes.events === undefined ? undefined : parseEventTypes(changes.events)),
  });

  const isEnabled = await inTransaction(ctx, async (ctx) => {
    const before = await lockWebhook(ctx, id);
    const change = differences(before, { endpoint, events, status: changes.status });
    if (Object.keys(change).length === 0) return false;
    await ctx.db
      .update(webhooks)
      .set({ ...change, ...(change.status === "enabled" && NO_FAILURES) })
      .where(eq(webhooks.id, before.id));
    if (change.status === "enabled") await makeEventsDue(ctx, before.id);
    await recordAudit(ctx, "webhook.updated", { webhookId: before.id, ...change });
    return change.status === "enabled";
  });
  if (isEnabled) wakeWebhooks(ctx.db);
}

const NO_FAILURES = {
  failures: 0,
  failingSince: null,
  noticedAt: null,
  disabledForFailuresAt: null,
};

/** The values that would change. */
function differences(
  before: Webhook,
  { endpoint, events, status }: WebhookChanges,
): Partial<Pick<Webhook, "endpoint" | "events" | "status">> {
  return {
    ...(endpoint !== undefined && endpoint !== before.endpoint && { endpoint }),
    ...(events && !isDeepStrictEqual(events, before.events) && { events: [...events] }),
    ...(status !== undefined && status !== before.status && { status }),
  };
}

/** Overdue events are due already. */
async function makeEventsDue(ctx: Context, webhookId: string): Promise<void> {
  const { nextAttemptAt } = webhookEvents;
  await ctx.db
    .update(webhookEvents)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(and(eq(webhookEvents.webhookId, webhookId), gt(nextAttemptAt, sql`clock_timestamp()`)));
}
