import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";

/** How long a webhook must fail before admins are notified. */
const FAILING_HOURS = 24;
const BATCH = 100;

/**
 * Notifies admins once about each enabled webhook that has failed for a day without a success. `noticed_at` and the
 * notice are committed together. Rows locked by others are left for the next run.
 */
export async function reportFailingWebhooks(db: Db): Promise<void> {
  while ((await reportBatch(db)) === BATCH);
}

const reportBatch = (db: Db): Promise<number> =>
  db.transaction(async (tx) => {
    const failing = await tx.execute<{ webhookId: string; companyId: string }>(sql`
      update webhooks set noticed_at = clock_timestamp() where id in (
        select id from webhooks
        where status = 'enabled' and noticed_at is null
          and failing_since < clock_timestamp() - make_interval(hours => ${FAILING_HOURS})
        order by id limit ${BATCH} for update skip locked)
      returning id as "webhookId", company_id as "companyId"`);
    for (const { webhookId, companyId } of failing)
      await notifyAdmins({ db: tx, companyId }, { kind: "webhook_failing", webhookId });
    return failing.length;
  });
