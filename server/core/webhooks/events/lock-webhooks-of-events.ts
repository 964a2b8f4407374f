import { sql } from "drizzle-orm";

import type { Webhook } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

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
