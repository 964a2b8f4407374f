import { eq, sql } from "drizzle-orm";

import { type Group, groups } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A group with its members in the order of addresses. */
export type ShownGroup = Group & { members: string[] };

/** What a statement selects from `groups` for `shownGroup`. */
export const shownColumns = {
  group: groups,
  members: sql<string[]>`array(
    select m.member from group_members m where m.group_address = ${groups.address}
    order by m.member)`,
};

/** Members are put into the order of characters, as `readAddresses` has it, whatever the database's is. */
export const shownGroup = (row: { group: Group; members: string[] }): ShownGroup => ({
  ...row.group,
  members: row.members.toSorted(),
});

/** A group that is there. */
export async function readShown(db: Db, address: string): Promise<ShownGroup> {
  const [row] = await db.select(shownColumns).from(groups).where(eq(groups.address, address));
  return shownGroup(row!);
}
