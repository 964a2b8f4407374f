import { and, eq, isNull, ne } from "drizzle-orm";

import { type Admin, admins } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { TeamManager } from "#server/core/access/admins/team-manager.ts";

/**
 * Only owners can change owners.
 *
 * @throws Refusal `invalid_permission`
 */
export function requireCanChange(manager: TeamManager, { isOwner }: Pick<Admin, "isOwner">): void {
  if (isOwner && !manager.isOwner)
    throw new Refusal("invalid_permission", "Only an owner can change an owner");
}

/**
 * Ensures that the company still has an owner who can sign in. Call under `lockTeam`, before removing,
 * suspending or demoting an owner.
 *
 * @throws Refusal `not_allowed` for the last owner
 */
export async function requireAnotherOwner(ctx: Context, leaving: Admin): Promise<void> {
  if (!leaving.isOwner || leaving.disabledAt !== null) return;
  const others = and(
    eq(admins.companyId, ctx.companyId),
    admins.isOwner,
    isNull(admins.disabledAt),
    ne(admins.id, leaving.id),
  );
  if ((await ctx.db.$count(admins, others)) === 0)
    throw new Refusal(
      "not_allowed",
      "This is the company's last owner. Make another admin an owner first",
    );
}
