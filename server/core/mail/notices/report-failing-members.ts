import { sql, type SQL } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { tryLock } from "#server/db/advisory-locks.ts";

// Minimum time between notices to a company: an outage at a big provider makes many members fail at once.
const PAUSE_HOURS = 24;
const BATCH = 100;

/** Whether the company of `row` had a notice recently. */
const recentlyNotified = (row: SQL) => sql`exists (
  select from failing_members told where told.company_id = ${row}.company_id
    and told.noticed_at > clock_timestamp() - make_interval(hours => ${PAUSE_HOURS}))`;

/**
 * Notifies companies about group members that keep failing: each member once, all new ones in one notice,
 * at most one notice a day. `noticed_at` and the notice are committed together.
 */
export async function reportFailingMembers(db: Db): Promise<void> {
  const companies = await db.execute<{ companyId: string }>(sql`
    select distinct company_id as "companyId" from failing_members f
    where noticed_at is null and not ${recentlyNotified(sql`f`)} limit ${BATCH}`);
  for (const { companyId } of companies) await report({ db, companyId });
}

const report = (ctx: CompanyScope) =>
  ctx.db.transaction(async (tx) => {
    // Without the lock, each of two workers could find some of the members and send a notice.
    if (!(await tryLock(tx, "failingMembers", ctx.companyId))) return;
    // transaction_timestamp() is the same for all rows of the transaction, so it identifies them in the notice.
    const [noticed] = await tx.execute<{ noticedAt: string }>(sql`
      with marked as (
        update failing_members f set noticed_at = transaction_timestamp()
        where company_id = ${ctx.companyId}::uuid and noticed_at is null
          and not ${recentlyNotified(sql`f`)}
        returning f.noticed_at
      )
      select noticed_at::text as "noticedAt" from marked limit 1`);
    if (!noticed) return;
    const notice = { kind: "members_failing", noticedAt: noticed.noticedAt } as const;
    await notifyAdmins({ ...ctx, db: tx }, notice);
  });
