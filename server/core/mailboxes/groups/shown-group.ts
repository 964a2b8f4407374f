import { eq, sql } from "drizzle-orm";

import { type Group, groups } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** A group with its members, sorted. */
export type ShownGroup = Group & { members: string[] };

/** Columns to select for `shownGroup`. */
export const shownColumns = {
  group: groups,
  members: sql<string[]>`array(
    select m.member from group_members m where m.group_address = ${groups.address}
    order by m.member)`,
};

/** Sorts members by code unit, as `readAddresses` does, whatever the database's collation. */
export const shownGroup = (row: { group: Group; members: string[] }): ShownGroup => ({
  ...row.group,
  members: row.members.toSorted(),
});

/** The group must exist. */
export async function readShownGroup(ctx: Context, address: string): Promise<ShownGroup> {
  const [row] = await ctx.db.select(shownColumns).from(groups).where(eq(groups.address, address));
  return shownGroup(row!);
}
