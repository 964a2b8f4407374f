import { and, eq, sql, type SQL } from "drizzle-orm";

import { addresses, type Group, groups } from "#drizzle/schema/index.ts";
import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const groupNotFound = () => new Refusal("not_found", "Group not found");

/**
 * The company's group of this address, in any case.
 *
 * @throws Refusal `not_found`
 */
export async function requireGroup(ctx: Context, address: string): Promise<Group> {
  const [group] = await ctx.db
    .select()
    .from(groups)
    .where(named(ctx, groups, address));
  if (!group) throw groupNotFound();
  return group;
}

/** As `requireGroup`, held until the caller's transaction ends: nobody else changes or deletes it. */
export async function lockGroup(ctx: Context, address: string): Promise<Group> {
  // The address first, as whoever deletes one does.
  await ctx.db
    .select()
    .from(addresses)
    .where(named(ctx, addresses, address))
    .for("update");
  const [group] = await ctx.db
    .select()
    .from(groups)
    .where(named(ctx, groups, address))
    .for("update");
  if (!group) throw groupNotFound();
  return group;
}

/** What is no address names nothing. */
function named(
  ctx: Context,
  table: typeof groups | typeof addresses,
  text: string,
): SQL | undefined {
  const address = readBareAddress(text);
  if (address === null) return sql`false`;
  return and(eq(table.address, address), eq(table.companyId, ctx.companyId));
}
