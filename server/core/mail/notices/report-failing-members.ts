import { sql } from "drizzle-orm";

import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { notifyOwners } from "#server/core/platform/notices/notify-owners.ts";

// Minimum time between notices to a company: an outage at a big provider makes many members fail at once.
const PAUSE_HOURS = 24;
const BATCH = 100;

/**
 * Notifies companies about group members that keep failing: each member once, all new ones in one notice,
 * at most one notice a day. `noticed_at` and the notice are committed together. Rows locked by others are
 * left for the next run.
 */
export async function reportFailingMembers(db: Db): Promise<void> {
  const companies = await db.execute<{ companyId: string }>(sql`
    select distinct company_id as "companyId" from failing_members f
    where noticed_at is null and not exists (
      select from failing_members told where told.company_id = f.company_id
        and told.noticed_at > clock_timestamp() - make_interval(hours => ${PAUSE_HOURS}))
    limit ${BATCH}`);
  for (const { companyId } of companies) await report({ db, companyId });
}

const report = (ctx: CompanyScope) =>
  ctx.db.transaction(async (tx) => {
    // transaction_timestamp() is the same for all rows of the transaction, so it identifies them in the notice.
    const [noticed] = await tx.execute<{ noticedAt: string }>(sql`
      with found as (
        select group_address, member from failing_members
        where company_id = ${ctx.companyId}::uuid and noticed_at is null for update skip locked
      ), marked as (
        update failing_members m set noticed_at = transaction_timestamp()
        from found where m.group_address = found.group_address and m.member = found.member
        returning m.noticed_at
      )
      select noticed_at::text as "noticedAt" from marked limit 1`);
    if (!noticed) return;
    const notice = { kind: "members_failing", noticedAt: noticed.noticedAt } as const;
    await notifyOwners({ ...ctx, db: tx }, notice);
  });
