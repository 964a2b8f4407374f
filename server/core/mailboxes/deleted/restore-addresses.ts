import { and, eq, isNotNull, sql } from "drizzle-orm";

import { addresses, domains } from "#drizzle/schema/index.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Deleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** The id of the company's domain of a kept row, which may have been deleted and created again. */
export const domainOfKept = () => sql`(select dm.id from domains dm
  where dm.company_id = kept.company_id and dm.name = split_part(kept.address, '@', 2)
    and dm.ownership_proven_at is not null)`;

/**
 * Locks the domains of a deleted item's addresses against deletion. Call it before `restoreAddresses`, and before locks on the company or
 * on addresses.
 *
 * @throws Refusal `invalid` while the item's own domain is deleted
 */
export async function lockDomainsOfDeleted(ctx: Context, { id, name }: Deleted): Promise<void> {
  const domain = addressDomain(name);
  const names = sql`select split_part(unnest(addresses), '@', 2) from deleted_items where id = ${id}`;
  const owned = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        sql`${domains.name} in (${names})`,
        eq(domains.companyId, ctx.companyId),
        isNotNull(domains.ownershipProvenAt),
      ),
    )
    .orderBy(domains.name)
    .for("key share");
  if (!owned.some(({ name }) => name === domain))
    throw new Refusal(
      "invalid",
      `The domain ${domain} is deleted, or its ownership isn’t verified. Restore or verify it first`,
    );
}

/**
 * Inserts the addresses of a locked deleted item again. Aliases that can't come back, because their domain is gone or the address is used,
 * are left out.
 *
 * @returns the restored addresses
 * @throws Refusal `already_exists` if the item's own address is used
 */
export async function restoreAddresses(ctx: Context, { id, name }: Deleted): Promise<string[]> {
  const restored = await ctx.db.execute<{ address: string }>(sql`
    insert into ${addresses} (address, company_id, domain_id, kind, created_at)
    select kept.address, kept.company_id, ${domainOfKept()}, kept.kind, kept.created_at
    from deleted_items d, jsonb_populate_recordset(null::addresses, d.contents -> 'addresses') kept
    where d.id = ${id} and ${domainOfKept()} is not null
    order by kept.address on conflict do nothing returning address`);
  const found = restored.map(({ address }) => address);
  if (!found.includes(name))
    throw new Refusal(
      "already_exists",
      `${name} is used by another mailbox, alias or group. Delete that first, then restore this one`,
    );
  return found;
}
