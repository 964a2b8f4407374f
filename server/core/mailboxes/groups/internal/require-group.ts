import { and, eq, sql, type SQL } from "drizzle-orm";

import { addresses, type Group, groups } from "#drizzle/schema/index.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const groupNotFound = () => new Refusal("not_found", "Group not found");

/**
 * Finds the company's group with this address, ignoring case.
 *
 * @throws Refusal `not_found`
 */
export async function requireGroup(ctx: Context, address: string): Promise<Group> {
  const [group] = await ctx.db
    .select()
    .from(groups)
    .where(matchesAddress(ctx, groups, address));
  if (!group) throw groupNotFound();
  return group;
}

/** Like `requireGroup`, and locks the group until the transaction ends. */
export async function lockGroup(ctx: Context, address: string): Promise<Group> {
  // Lock the address first, in the same order as deletion does.
  await ctx.db
    .select()
    .from(addresses)
    .where(matchesAddress(ctx, addresses, address))
    .for("update");
  const [group] = await ctx.db
    .select()
    .from(groups)
    .where(matchesAddress(ctx, groups, address))
    .for("update");
  if (!group) throw groupNotFound();
  return group;
}

/** Matches nothing if the text isn't an address. */
function matchesAddress(
  ctx: Context,
  table: typeof groups | typeof addresses,
  text: string,
): SQL | undefined {
  const address = readBareAddress(text);
  if (address === null) return sql`false`;
  return and(eq(table.address, address), eq(table.companyId, ctx.companyId));
}
