import { and, eq, sql } from "drizzle-orm";

import {
  aliases,
  appPasswords,
  forwardSuspensions,
  mailboxContacts,
  mailboxes,
  mailboxIdentities,
  mailboxMoves,
  mailboxPasskeys,
  mailboxRecoveryCodes,
  mailboxRules,
  mailboxSignIns,
  mailboxUsage,
  orgUnits,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import {
  deletePredecessorRecords,
  requirePlanRoom,
} from "#server/core/mailboxes/mailboxes/create-mailbox.ts";
import { requireUnit } from "#server/core/mailboxes/org-units/require-unit.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, forgetDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { restoreRows } from "#server/core/shared/deleted-items/restore-rows.ts";

import { restoreShares } from "./restore-shares.ts";
import { domainOfKept, lockDomainsOfDeleted, restoreAddresses } from "./restore-addresses.ts";

/**
 * Restores a locked deleted mailbox with its mail, aliases, rules and app passwords, as it was. It returns to the root unit if its unit was
 * deleted, and its quota is capped by the plan, as that of a new or changed mailbox is. Call in a transaction.
 *
 * @returns the quota in MB if the plan's cap has lowered it, else null
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`; `account_inactive`, and `not_allowed` if the plan's limit is reached
 */
export async function restoreMailbox(ctx: Context, item: Deleted): Promise<number | null> {
  const { id, name: address } = item;
  const unitId = await lockUnitOfKept(ctx, id);
  await lockDomainsOfDeleted(ctx, item);
  await requirePlanRoom(ctx);
  const restored = await restoreAddresses(ctx, item);
  await deletePredecessorRecords(ctx, address);
  await restoreRows(ctx.db, id, mailboxes, {
    set: {
      domain_id: domainOfKept(),
      org_unit_id: sql`${unitId}::int`,
      store_host: sql`d.store_host`,
      // `least` ignores null, which is a plan without a cap.
      quota_mb: sql`least(kept.quota_mb, (select quota_mb_max from companies where id = kept.company_id))`,
    },
  });
  await restoreRows(ctx.db, id, aliases, {
    where: sql`kept.address in (select jsonb_array_elements_text(${JSON.stringify(restored)}::jsonb))`,
  });
  for (const table of [
    ...[appPasswords, mailboxRules, forwardSuspensions, mailboxContacts, mailboxMoves],
    ...[mailboxUsage, mailboxSignIns, signInNetworks, mailboxPasskeys, mailboxRecoveryCodes],
  ])
    await restoreRows(ctx.db, id, table);
  // The provider may have been replaced, and its account linked to another mailbox.
  await restoreRows(ctx.db, id, mailboxIdentities, {
    where: sql`kept.provider_id in (select id from identity_providers)`,
  });
  await restoreShares(ctx, id);
  await refreshRules(ctx, address);
  const quota = await readLoweredQuota(ctx, item);
  await forgetDeleted(ctx, id);
  const own = restored.filter((each) => each !== address).toSorted();
  await recordAudit(ctx, "mailbox.undeleted", {
    ...{ mailbox: address, aliases: own },
    ...(quota && { quotaMb: quota }),
  });
  return quota && quota.to;
}

/** The quota before and after, if restoring has lowered it. */
async function readLoweredQuota({ db }: Context, { id, name }: Deleted) {
  const [quota] = await db.execute<{ from: number; to: number }>(sql`
    select (d.contents -> 'mailboxes' -> 0 ->> 'quota_mb')::int as "from", m.quota_mb as "to"
    from deleted_items d join mailboxes m on m.address = ${name} where d.id = ${id}`);
  return quota!.to < quota!.from ? quota! : null;
}

/** The mailbox's unit, locked against deletion; the root unit if it is gone. */
async function lockUnitOfKept(ctx: Context, itemId: string): Promise<number> {
  const [unit] = await ctx.db
    .select({ id: orgUnits.id })
    .from(orgUnits)
    .where(
      and(
        eq(orgUnits.companyId, ctx.companyId),
        sql`${orgUnits.id} = (select (contents -> 'mailboxes' -> 0 ->> 'org_unit_id')::int
          from deleted_items where id = ${itemId})`,
      ),
    )
    .for("key share");
  return requireUnit(ctx, unit?.id ?? null);
}
