import { sql, type SQL } from "drizzle-orm";

import { NEARLY_FULL } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { tryLock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

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

/** How long a webhook must fail before admins are notified. */
const FAILING_HOURS = 24;

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

const MB = 1024 * 1024;

/** Below this, a mailbox has space again. Lower, so that one about the bound isn't reported again and again. */
const HAS_SPACE = 0.85;

/** Minimum time between notices to a company. A full mailbox receives no mail, so it can't wait. */
const FULL_MAILBOX_PAUSE_HOURS = { full: 1, nearlyFull: 24 };

/**
 * Notifies companies about mailboxes that have become full or nearly full: each of them once, all new ones in one notice.
 * `noticed_at` and the notice are committed together.
 */
export async function reportFullMailboxes(db: Db): Promise<void> {
  await recordFullMailboxes(db);
  const companies = await db.execute<{ companyId: string }>(sql`
    select company_id as "companyId" from full_mailboxes f group by company_id
    having bool_or(noticed_at is null and is_full)
        and coalesce(max(noticed_at) < clock_timestamp() - make_interval(hours => ${FULL_MAILBOX_PAUSE_HOURS.full}), true)
      or bool_or(noticed_at is null)
        and coalesce(max(noticed_at) < clock_timestamp() - make_interval(hours => ${FULL_MAILBOX_PAUSE_HOURS.nearlyFull}), true)
    limit ${BATCH}`);
  for (const { companyId } of companies) await reportIn({ db, companyId });
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

const reportIn = (ctx: CompanyScope) =>
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
