import { and, asc, eq } from "drizzle-orm";

import { groupMembers, groups } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Lists the addresses of the company's groups with this member, sorted. */
export async function listGroupsOfMember(ctx: Context, member: string): Promise<string[]> {
  const found = await ctx.db
    .select({ address: groups.address })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.address, groupMembers.groupAddress))
    .where(and(eq(groupMembers.member, member), eq(groups.companyId, ctx.companyId)))
    .orderBy(asc(groups.address));
  return found.map(({ address }) => address);
}
