import { and, eq, notExists, sql } from "drizzle-orm";

import { admins, people } from "#drizzle/schema/index.ts";
import { revokeAdminKeys } from "#server/core/access/api-keys/revoke-admin-keys.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockAdmin } from "./get-admin.ts";
import { requireAnotherOwner, requireCanChange } from "./internal/last-owner.ts";
import { lockTeam } from "./lock-team.ts";
import { requireTeamManager } from "./team-manager.ts";

/**
 * Removes an admin from the company: ends their sessions in it, revokes the keys they created and cancels the
 * emails those keys scheduled. Deletes the person too if this was their last company, unless they are an
 * operator.
 *
 * @returns the ids of the revoked keys
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed` for the last owner and for yourself
 */
export async function removeAdmin(ctx: Context, id: string): Promise<string[]> {
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const admin = await lockAdmin(ctx, id);
    requireCanChange(manager, admin);
    if (manager.adminId === id)
      throw new Refusal("not_allowed", "You can't remove yourself. Ask another admin");
    await requireAnotherOwner(ctx, admin);
    const revoked = await revokeAdminKeys(ctx, id);
    await ctx.db.delete(admins).where(eq(admins.id, id));
    await recordAudit(ctx, "admin.removed", {
      ...{ adminId: id, email: admin.email, name: admin.name, isOwner: admin.isOwner },
      revokedKeys: revoked.length,
    });
    await deletePersonIfUnused(ctx, admin.email);
    return revoked;
  });
}

/**
 * Locks the person first, to wait for a transaction that is adding them to another company. The delete is a
 * separate statement so that it sees that company.
 */
async function deletePersonIfUnused({ db }: Context, email: string): Promise<void> {
  await db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.email, email))
    .for("update");
  const elsewhere = db
    .select({ one: sql`1` })
    .from(admins)
    .where(eq(admins.email, people.email));
  await db
    .delete(people)
    .where(and(eq(people.email, email), eq(people.isOperator, false), notExists(elsewhere)));
}
