import { sql } from "drizzle-orm";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { countFailures, type FailureCount } from "./count-failures.ts";
import type { LockedWebhook } from "#server/core/webhooks/events/lock-webhooks-of-events.ts";

type Counted = { webhook: LockedWebhook; count: FailureCount };

/**
 * Updates the consecutive failures of webhooks and disables those that reach the limit. Ignores webhooks
 * disabled meanwhile.
 *
 * @param webhooks locked by the caller
 * @param attempts in the order in which they ended
 */
export async function storeFailureCounts(
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
  await write(db, changed);
  for (const { webhook, count } of changed)
    if (count.isLimitReached) await notifyDisabled(db, webhook, count.failures);
}

async function write(db: Db, changed: Counted[]): Promise<void> {
  const rows = changed.map(({ webhook, count }) => ({
    ...{ id: webhook.id, ...count },
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
