import { inArray } from "drizzle-orm";

import { type Group, groupMembers } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A group with its members in the order of addresses. */
export type ShownGroup = Group & { members: string[] };

/** The groups with their members, in the order given. */
export async function withMembers(db: Db, rows: Group[]): Promise<ShownGroup[]> {
  const members = new Map(rows.map(({ address }) => [address, [] as string[]]));
  const found =
    rows.length === 0
      ? []
      : await db
          .select({ group: groupMembers.groupAddress, member: groupMembers.member })
          .from(groupMembers)
          .where(inArray(groupMembers.groupAddress, [...members.keys()]));
  for (const { group, member } of found) members.get(group)!.push(member);
  // In the order of characters, as `readAddresses` has it, whatever the database's collation.
  return rows.map((row) => ({ ...row, members: members.get(row.address)!.sort() }));
}
