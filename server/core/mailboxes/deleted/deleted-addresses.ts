import { and, eq, isNotNull, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  domains,
  failingMembers,
  groupMembers,
  groups,
  mailboxShares,
} from "#drizzle/schema/index.ts";
import { restoreUnitsOfGroups } from "#server/core/mailboxes/groups/group-units.ts";
import { refreshRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { lockMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  type Deleted,
  forgetDeleted,
  restoreRows,
} from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Restores a locked deleted alias. Call in a transaction.
 *
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`; `invalid` if its mailbox no longer exists
 */
export async function restoreAlias(ctx: Context, item: Deleted): Promise<void> {
  const { id, name: alias, title: mailbox } = item;
  await lockDomainsOfDeleted(ctx, item);
  await lockMailbox(ctx, mailbox).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal("invalid", `The mailbox ${mailbox} is deleted. Restore it first`);
  });
  await restoreAddresses(ctx, item);
  await restoreRows(ctx.db, id, aliases);
  await refreshRules(ctx, mailbox);
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, "alias.undeleted", { alias, mailbox });
}

/**
 * Restores a locked deleted group with its settings and members, as it was. Call in a transaction.
 *
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`
 */
export async function restoreGroup(ctx: Context, item: Deleted): Promise<void> {
  const { id, name: group } = item;
  await lockDomainsOfDeleted(ctx, item);
  await restoreAddresses(ctx, item);
  for (const table of [groups, groupMembers, failingMembers]) await restoreRows(ctx.db, id, table);
  await restoreUnitsOfGroups(ctx, id);
  await restoreShares(ctx, id);
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, "group.undeleted", { group });
}

/**
 * Restores a locked deleted inbound address. Call in a transaction.
 *
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`
 */
export async function restoreInboundAddress(ctx: Context, item: Deleted): Promise<void> {
  await lockDomainsOfDeleted(ctx, item);
  await restoreAddresses(ctx, item);
  await forgetDeleted(ctx, item.id);
  await recordAudit(ctx, "inbound_address.undeleted", { address: item.name });
}

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
 * Inserts the addresses of a locked deleted item again. Aliases that can't come back, because their domain is gone, or the address is
 * used or belongs to another deleted mailbox again, are left out.
 *
 * @returns the restored addresses
 * @throws Refusal `already_exists` if the item's own address is used
 */
export async function restoreAddresses(ctx: Context, { id, name }: Deleted): Promise<string[]> {
  const restored = await ctx.db.execute<{ address: string }>(sql`
    insert into ${addresses} (address, company_id, domain_id, kind, created_at)
    select kept.address, kept.company_id, ${domainOfKept()}, kept.kind, kept.created_at
    from deleted_items d, jsonb_populate_recordset(null::addresses, d.contents -> 'addresses') kept
    where d.id = ${id} and kept.address = any(d.addresses) and ${domainOfKept()} is not null
    order by kept.address on conflict do nothing returning address`);
  const found = restored.map(({ address }) => address);
  if (!found.includes(name))
    throw new Refusal(
      "already_exists",
      `${name} is used by another mailbox, alias or group. Delete that first, then restore this one`,
    );
  return found;
}

/** Restores how mailboxes were shared, as far as both sides exist and still belong to the company. */
export async function restoreShares({ db }: Context, itemId: string): Promise<void> {
  await restoreRows(db, itemId, mailboxShares, {
    where: sql`exists (select from mailboxes m where m.address = kept.mailbox and m.company_id = d.company_id)
      and exists (select from addresses a where a.address = kept.member and a.company_id = d.company_id
        and a.kind in ('mailbox', 'group'))`,
  });
}
