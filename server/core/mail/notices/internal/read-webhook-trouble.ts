import { sql } from "drizzle-orm";

import { findLastFailure } from "#server/core/webhooks/attempts/attempts.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import type { Notice } from "#server/core/platform/notices/notify-admins.ts";

type WebhookNotice = Extract<Notice, { webhookId: string }>;

/** The current state of a failing or disabled webhook. */
export type WebhookTrouble = {
  id: string;
  endpoint: string;
  failures: number;
  /** When the first of the consecutive failures happened. */
  failingSince: string | null;
  /** Error of the newest failed attempt: `HTTP 500`, `timeout`, …; null if no attempt is kept. */
  lastError: string | null;
  /** Events with a scheduled attempt. */
  waiting: number;
  /** Events that are out of attempts. */
  failed: number;
};

/** The problem a notice is about; null when it is solved or the webhook was deleted. */
export async function readWebhookTrouble(
  ctx: CompanyScope,
  { kind, webhookId }: WebhookNotice,
): Promise<WebhookTrouble | null> {
  const holds =
    kind === "webhook_disabled"
      ? sql`w.status = 'disabled' and w.disabled_for_failures_at is not null`
      : sql`w.status = 'enabled' and w.failing_since is not null`;
  const [trouble] = await ctx.db.execute<Omit<WebhookTrouble, "lastError">>(sql`
    select w.id, w.endpoint, w.failures, w.failing_since as "failingSince", (
        select count(*) from webhook_events e
        where e.webhook_id = w.id and e.next_attempt_at is not null
      )::int as waiting, (
        select count(*) from webhook_events e where e.webhook_id = w.id and e.status = 'failed'
      )::int as failed
    from webhooks w where w.id = ${webhookId} and w.company_id = ${ctx.companyId} and ${holds}`);
  if (!trouble) return null;
  const failure = await findLastFailure(ctx.db, webhookId);
  return { ...trouble, lastError: failure?.error ?? null };
}
