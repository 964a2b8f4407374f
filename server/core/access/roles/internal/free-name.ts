import { and, eq, ne, sql } from "drizzle-orm";

import { roles } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Requires that no other role has this name, ignoring case. Call under `lockTeam`.
 *
 * @param except id of the role that already has the name
 * @throws Refusal `already_exists`
 */
export async function requireFreeRoleName(
  ctx: Context,
  name: string,
  except?: string,
): Promise<void> {
  const taken = and(
    eq(roles.companyId, ctx.companyId),
    eq(sql`lower(${roles.name})`, name.toLowerCase()),
    except === undefined ? undefined : ne(roles.id, except),
  );
  if ((await ctx.db.$count(roles, taken)) > 0)
    throw new Refusal("already_exists", "name: is already used by another role");
}
