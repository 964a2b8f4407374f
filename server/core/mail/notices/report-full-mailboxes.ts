import { sql } from "drizzle-orm";

import { NEARLY_FULL } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { tryLock } from "#server/db/advisory-locks.ts";

const MB = 1024 * 1024;
/** Below this, a mailbox has space again. Lower, so that one about the bound isn't reported again and again. */
const HAS_SPACE = 0.85;
/** Minimum time between notices to a company. A full mailbox receives no mail, so it can't wait. */
const PAUSE_HOURS = { full: 1, nearlyFull: 24 };
const BATCH = 100;

/**
 * Notifies companies about mailboxes that have become full or nearly full: each of them once, all new ones in one notice.
 * `noticed_at` and the notice are committed together.
 */
export async function reportFullMailboxes(db: Db): Promise<void> {
  await recordFullMailboxes(db);
  const companies = await db.execute<{ companyId: string }>(sql`
    select company_id as "companyId" from full_mailboxes f group by company_id
    having bool_or(noticed_at is null and is_full)
        and coalesce(max(noticed_at) < clock_timestamp() - make_interval(hours => ${PAUSE_HOURS.full}), true)
      or bool_or(noticed_at is null)
        and coalesce(max(noticed_at) < clock_timestamp() - make_interval(hours => ${PAUSE_HOURS.nearlyFull}), true)
    limit ${BATCH}`);
  for (const { companyId } of companies) await report({ db, companyId });
}

async function recordFullMailboxes(db: Db): Promise<void> {
  await db.execute(sql`
    delete from full_mailboxes f using mailboxes m left join mailbox_usage u on u.address = m.address
    where m.address = f.address
      and (m.quota_mb = 0 or coalesce(u.used_bytes, 0) < m.quota_mb * ${HAS_SPACE * MB}::float8)`);
  await db.execute(sql`
    insert into full_mailboxes as known (address, company_id, is_full)
    select m.address, m.company_id, u.used_bytes >= m.quota_mb * ${MB}::float8
    from mailbox_usage u join mailboxes m on m.address = u.address
    where m.quota_mb > 0 and u.used_bytes >= m.quota_mb * ${NEARLY_FULL * MB}::float8
    order by m.address
    on conflict (address) do update set is_full = excluded.is_full,
      noticed_at = case when excluded.is_full then null else known.noticed_at end
    where known.is_full <> excluded.is_full`);
}

const report = (ctx: CompanyScope) =>
  ctx.db.transaction(async (tx) => {
    // Without the lock, each of two workers could find some of the mailboxes and send a notice.
    if (!(await tryLock(tx, "fullMailboxes", ctx.companyId))) return;
    // transaction_timestamp() is the same for all rows of the transaction, so it identifies them in the notice.
    const [noticed] = await tx.execute<{ noticedAt: string }>(sql`
      with marked as (
        update full_mailboxes set noticed_at = transaction_timestamp()
        where company_id = ${ctx.companyId}::uuid and noticed_at is null
        returning noticed_at
      )
      select noticed_at::text as "noticedAt" from marked limit 1`);
    if (!noticed) return;
    const notice = { kind: "mailboxes_full", noticedAt: noticed.noticedAt } as const;
    await notifyAdmins({ ...ctx, db: tx }, notice);
  });
