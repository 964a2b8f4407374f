import { and, eq, inArray } from "drizzle-orm";

import { groupMembers, groups, domains } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/addresses/parse-address.ts";
import { resolveRecipients } from "#server/core/mailboxes/resolve-recipients.ts";
import { isNotNull } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";

/** Everybody that mail to some addresses reaches in the end. */
export type Expanded = {
  /** Each mailbox of this appliance once, by its own address, with the address that leads there. */
  here: Map<string, string>;
  /** Addresses that others take mail for. */
  outside: Set<string>;
  /** Groups of other companies of this appliance, which decide for themselves. */
  foreignGroups: Set<string>;
};

/**
 * Follows addresses to mailboxes and outside addresses, through the groups of one company: a group in
 * a group vouches for what it passes on. Cycles end where they meet themselves. Addresses at domains of
 * this appliance that nobody has are left out.
 */
export async function expandMembers(
  db: Db,
  companyId: string,
  addresses: string[],
): Promise<Expanded> {
  const found: Expanded = { here: new Map(), outside: new Set(), foreignGroups: new Set() };
  const seen = new Set<string>();
  let level = addresses;
  while (level.length > 0) {
    const resolved = await resolveRecipients(db, level);
    const nested: string[] = [];
    for (const address of level) {
      const recipient = resolved.get(address);
      if (!recipient) found.outside.add(address);
      else if (recipient.kind === "mailbox") {
        if (!found.here.has(recipient.mailbox)) found.here.set(recipient.mailbox, address);
      } else if (recipient.companyId !== companyId) found.foreignGroups.add(recipient.group);
      else if (!seen.has(recipient.group)) {
        seen.add(recipient.group);
        nested.push(recipient.group);
      }
    }
    level = await membersOf(db, companyId, nested);
  }
  await leaveOutUnknown(db, found.outside);
  return found;
}

async function membersOf(db: Db, companyId: string, addresses: string[]): Promise<string[]> {
  if (addresses.length === 0) return [];
  const rows = await db
    .selectDistinct({ member: groupMembers.member })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.address, groupMembers.groupAddress))
    .where(and(inArray(groupMembers.groupAddress, addresses), eq(groups.companyId, companyId)))
    .orderBy(groupMembers.member);
  return rows.map(({ member }) => member);
}

/** At a domain of this appliance who is no mailbox, alias or group is nobody. */
async function leaveOutUnknown(db: Db, outside: Set<string>): Promise<void> {
  const names = [...new Set([...outside].map(domainOf))];
  if (names.length === 0) return;
  const rows = await db
    .select({ name: domains.name })
    .from(domains)
    .where(and(inArray(domains.name, names), isNotNull(domains.ownershipProvenAt)));
  const own = new Set(rows.map(({ name }) => name));
  for (const address of outside) if (own.has(domainOf(address))) outside.delete(address);
}
