import { and, eq, inArray, sql } from "drizzle-orm";

import { groups, mailboxesInUnit, unitsOfGroup } from "#drizzle/schema/index.ts";
import { isForCatchAll, resolveOutgoing } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { findHostedDomains } from "#server/core/sending/messages/messages.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** The mailboxes and outside addresses that some addresses expand to. */
export type ExpandedMembers = {
  /**
   * Mailboxes on this appliance by their own address, with the address that resolved to them; inbound addresses;
   * and addresses covered only by a catch-all.
   */
  here: Map<string, string>;
  /** All other addresses, whether or not they exist, and groups of other companies whose MX is elsewhere. */
  outside: Set<string>;
  /** Groups of the company that were expanded. */
  groups: Set<string>;
  /** Groups of other companies that receive their mail on this appliance, which check their own posting rules. */
  foreignGroups: Set<string>;
};

/**
 * Resolves addresses to mailboxes and outside addresses through the nested groups of one company, whose posting
 * rules aren't checked again. Handles cycles.
 *
 * @param addresses lowercase
 */
export async function expandMembers(
  ctx: CompanyScope,
  addresses: string[],
): Promise<ExpandedMembers> {
  const found: ExpandedMembers = {
    here: new Map(),
    outside: new Set(),
    groups: new Set(),
    foreignGroups: new Set(),
  };
  let level = addresses;
  while (level.length > 0) {
    const nested = await classifyRecipients(ctx, found, level);
    level = await listMembers(ctx, nested);
  }
  return found;
}

/** @returns newly found groups of the company, to expand next */
async function classifyRecipients(
  ctx: CompanyScope,
  found: ExpandedMembers,
  addresses: string[],
): Promise<string[]> {
  const resolved = await resolveMembers(ctx, addresses);
  const nested = new Set<string>();
  for (const address of addresses) {
    const recipient = resolved.get(address);
    if (!recipient) found.outside.add(address);
    else if (recipient.kind === "inbound" || isForCatchAll(recipient))
      found.here.set(address, address);
    else if (recipient.kind === "mailbox") {
      if (!found.here.has(recipient.mailbox)) found.here.set(recipient.mailbox, address);
    } else if (recipient.companyId !== ctx.companyId) found.foreignGroups.add(recipient.group);
    else if (!found.groups.has(recipient.group)) nested.add(recipient.group);
  }
  for (const group of nested) found.groups.add(group);
  return [...nested];
}

/**
 * Resolves members or forwarding addresses, to which mail is sent on from here. Leaves out addresses that are elsewhere or
 * don't exist. Mail to another company follows the MX, so its groups count only if that points here.
 */
export async function resolveMembers(ctx: CompanyScope, addresses: string[]) {
  const resolved = await resolveOutgoing(ctx.db, addresses);
  const foreign = [...resolved].flatMap(([address, recipient]) =>
    recipient.kind === "group" && recipient.companyId !== ctx.companyId
      ? { address, companyId: recipient.companyId, domain: addressDomain(recipient.group) }
      : [],
  );
  const hosted = await findHostedDomains(
    ctx.db,
    foreign.map(({ domain }) => domain),
  );
  for (const { address, companyId, domain } of foreign)
    if (hosted.get(domain) !== companyId) resolved.delete(address);
  return resolved;
}

/** The members of groups of the company, sorted, with the mailboxes that are now in units of the groups. */
export async function listMembers(
  { db, companyId }: CompanyScope,
  addresses: string[],
): Promise<string[]> {
  if (addresses.length === 0) return [];
  const rows = await db.execute<{ member: string }>(sql`
    with listed as (select address from groups where ${and(
      inArray(groups.address, addresses),
      eq(groups.companyId, companyId),
    )})
    select member from group_members where group_address in (select address from listed)
    union
    select inside.address from listed cross join lateral ${mailboxesInUnit(unitsOfGroup(sql`listed.address`))} inside
    order by member`);
  return rows.map(({ member }) => member);
}
