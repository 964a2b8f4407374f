import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/** Events counted at most; beyond it the exact number doesn't matter. */
export const COUNT_LIMIT = 10_000;

/** Outcomes of the events of the last 24 hours. The sum is at most `COUNT_LIMIT`; the newest count. */
export type WebhookHealth = {
  delivered: number;
  failed: number;
  /** With an attempt to come. */
  waiting: number;
};

/** Returns the health of webhooks of the company, by id. */
export async function getWebhookHealth(
  ctx: Context,
  webhookIds: string[],
): Promise<Map<string, WebhookHealth>> {
  const rows = await ctx.db.execute<WebhookHealth & { id: string }>(sql`
    select w.id, health.* from webhooks w cross join lateral (
      select count(*) filter (where status = 'success')::int as delivered,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status in ('pending', 'attempting'))::int as waiting
      from (
        select status from webhook_events e
        where e.webhook_id = w.id and e.created_at > clock_timestamp() - interval '24 hours'
        order by e.created_at desc limit ${COUNT_LIMIT}) newest) health
    where w.company_id = ${ctx.companyId}
      and w.id = any(array(select jsonb_array_elements_text(${JSON.stringify(webhookIds)}::jsonb)::uuid))`);
  return new Map(rows.map(({ id, ...health }) => [id, health]));
}
