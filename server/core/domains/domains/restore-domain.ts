import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  apiKeys,
  dkimKeys,
  domainFindings,
  domains,
  failingMembers,
  groupMembers,
  groups,
} from "#drizzle/schema/index.ts";
import { restoreShares } from "#server/core/mailboxes/deleted/restore-shares.ts";
import { refreshRulesOfMailboxes } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type Deleted, forgetDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { restoreRows } from "#server/core/shared/deleted-items/restore-rows.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireNotOwnedElsewhere, requireUnderLimits } from "./add-domain.ts";
import { lockCompanyDomains, lockName } from "./locks.ts";

/**
 * Restores a locked deleted domain with its DKIM keys, groups, aliases of existing mailboxes, and API keys. Call in a transaction.
 *
 * @throws Refusal `already_exists` if the company has the name again, `not_allowed` if another company has it or the plan's limit is
 *   reached, `account_inactive`, `too_many_pending` if its ownership wasn't verified
 */
export async function restoreDomain(ctx: Context, item: Deleted): Promise<void> {
  const { id, name, domainId } = item;
  await lockName(ctx, name);
  await lockCompanyDomains(ctx);
  await requireNotOwnedElsewhere(ctx, name);
  await requireUnderLimits(ctx, { isVerified: await wasVerified(ctx, id) });
  if ((await restoreRows(ctx.db, id, domains)) === 0)
    throw new Refusal(
      "already_exists",
      `${name} is one of your domains again. Delete it first, then restore this one`,
    );
  await restoreRows(ctx.db, id, domainFindings);
  await restoreRows(ctx.db, id, dkimKeys);
  await restoreDomainAddresses(ctx, item);
  await restoreKeys(ctx, item);
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, "domain.undeleted", { domainId, name });
}

async function wasVerified({ db }: Context, itemId: string): Promise<boolean> {
  const [row] = await db.execute<{ isVerified: boolean }>(sql`
    select contents -> 'domains' -> 0 ->> 'ownership_proven_at' is not null as "isVerified"
    from deleted_items where id = ${itemId}`);
  return row!.isVerified;
}

async function restoreDomainAddresses(ctx: Context, { id, domainId }: Deleted): Promise<void> {
  await restoreRows(ctx.db, id, addresses, {
    where: sql`(kept.kind <> 'alias' or exists (
      select from jsonb_populate_recordset(null::aliases, d.contents -> 'aliases') l
      join mailboxes m on m.address = l.mailbox and m.company_id = kept.company_id
      where l.address = kept.address))`,
  });
  const restored = sql`(select address from addresses where domain_id = ${domainId})`;
  for (const table of [aliases, groups])
    await restoreRows(ctx.db, id, table, { where: sql`kept.address in ${restored}` });
  for (const table of [groupMembers, failingMembers])
    await restoreRows(ctx.db, id, table, { where: sql`kept.group_address in ${restored}` });
  await restoreShares(ctx, id);
  const owners = await ctx.db
    .selectDistinct({ mailbox: aliases.mailbox })
    .from(aliases)
    .innerJoin(addresses, eq(addresses.address, aliases.address))
    .where(eq(addresses.domainId, domainId));
  await refreshRulesOfMailboxes(
    ctx,
    owners.map(({ mailbox }) => mailbox),
  );
}

/** API keys that the deletion revoked work again, unless their creators have left since. */
async function restoreKeys(ctx: Context, { id, domainId }: Deleted): Promise<void> {
  const kept = sql`(select (kept ->> 'id')::uuid from deleted_items d,
    jsonb_array_elements(d.contents -> 'api_keys') kept where d.id = ${id})`;
  const restored = await ctx.db
    .update(apiKeys)
    .set({ domainId, revokedAt: null })
    .where(
      and(
        sql`${apiKeys.id} in ${kept}`,
        ...[eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.domainId)],
        ...[isNotNull(apiKeys.revokedAt), isNotNull(apiKeys.creatorId)],
      ),
    )
    .returning({ keyId: apiKeys.id, name: apiKeys.name });
  await recordAudits(ctx, "api_key.restored", restored);
}
