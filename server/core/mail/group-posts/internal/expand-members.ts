import { and, eq, inArray } from "drizzle-orm";

import { groupMembers, groups } from "#drizzle/schema/index.ts";
import { resolveRecipients } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Db } from "#server/db/client.ts";

/** Everybody that mail to some addresses reaches in the end. */
export type ExpandedMembers = {
  /** Each mailbox of this appliance once, by its own address, with the address that leads there. */
  here: Map<string, string>;
  /** All other addresses. The worker finds out whether they have a mail host elsewhere or don't exist. */
  outside: Set<string>;
  /** Groups of the company that were gone through. */
  groups: Set<string>;
  /** Groups of other companies of this appliance, which decide for themselves. */
  foreignGroups: Set<string>;
};

/**
 * Follows addresses to mailboxes and outside addresses, through the groups of one company: a group in
 * a group vouches for what it passes on. Cycles end where they meet themselves.
 *
 * @param addresses lowercase
 */
export async function expandMembers(
  db: Db,
  companyId: string,
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
    const nested = await classifyRecipients(found, { db, companyId, addresses: level });
    level = await listMembers(db, companyId, nested);
  }
  return found;
}

/** @returns groups of the company that are new, whose members come next */
async function classifyRecipients(
  found: ExpandedMembers,
  { db, companyId, addresses }: { db: Db; companyId: string; addresses: string[] },
): Promise<string[]> {
  const resolved = await resolveRecipients(db, addresses);
  const nested = new Set<string>();
  for (const address of addresses) {
    const recipient = resolved.get(address);
    if (!recipient) found.outside.add(address);
    else if (recipient.kind === "mailbox") {
      if (!found.here.has(recipient.mailbox)) found.here.set(recipient.mailbox, address);
    } else if (recipient.companyId !== companyId) found.foreignGroups.add(recipient.group);
    else if (!found.groups.has(recipient.group)) nested.add(recipient.group);
  }
  for (const group of nested) found.groups.add(group);
  return [...nested];
}

async function listMembers(db: Db, companyId: string, addresses: string[]): Promise<string[]> {
  if (addresses.length === 0) return [];
  const rows = await db
    .selectDistinct({ member: groupMembers.member })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.address, groupMembers.groupAddress))
    .where(and(inArray(groupMembers.groupAddress, addresses), eq(groups.companyId, companyId)))
    .orderBy(groupMembers.member);
  return rows.map(({ member }) => member);
}
