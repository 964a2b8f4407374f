import { and, eq, inArray } from "drizzle-orm";

import { groups } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { addMembers } from "./create-group.ts";
import { MEMBERS_MAX } from "./group-fields.ts";
import { lockGroup } from "./internal/require-group.ts";
import { readShownGroup } from "./shown-group.ts";

/**
 * Adds a member to several groups, all or none. Call in a transaction.
 *
 * @param addresses parsed addresses of the groups
 * @param field the request field, for the error message
 * @throws Refusal `invalid` for a group that the company doesn't have or that is full
 */
export async function joinGroups(
  ctx: Context,
  member: string,
  { addresses, field }: { addresses: string[]; field: string },
): Promise<void> {
  if (addresses.length === 0) return;
  const found = await ctx.db
    .select({ address: groups.address })
    .from(groups)
    .where(and(eq(groups.companyId, ctx.companyId), inArray(groups.address, addresses)));
  const known = new Set(found.map(({ address }) => address));
  readEach(addresses, (address, at) => {
    if (!known.has(address))
      throw new Refusal("invalid", `${field}[${at}]: is not a group of your company`);
  });
  for (const address of [...known].sort()) {
    await lockGroup(ctx, address);
    const { members } = await readShownGroup(ctx, address);
    if (members.includes(member)) continue;
    if (members.length >= MEMBERS_MAX)
      throw new Refusal(
        "invalid",
        `${field}[${addresses.indexOf(address)}]: has ${MEMBERS_MAX} members already`,
      );
    await addMembers(ctx, address, [member]);
  }
}
