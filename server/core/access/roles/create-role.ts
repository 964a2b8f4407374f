import { eq } from "drizzle-orm";

import { roles } from "#drizzle/schema/index.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { requireTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { requireCanGrant } from "#server/core/access/privileges/require-can-grant.ts";

import { requireFreeRoleName } from "./internal/free-name.ts";
import { readRole, type RoleInput } from "./read-role.ts";

const ROLES_MAX = 200;

/**
 * Creates a role and returns its id.
 *
 * @throws Refusal `invalid`, `already_exists` for a name in use, `not_allowed` for a privilege that the
 *   caller lacks, or the 201st role
 */
export function createRole(ctx: Context, written: RoleInput): Promise<string> {
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const fields = await readRole(ctx, written);
    requireCanGrant(manager, fields, "This role");
    await requireFreeRoleName(ctx, fields.name);
    if ((await ctx.db.$count(roles, eq(roles.companyId, ctx.companyId))) >= ROLES_MAX)
      throw new Refusal("not_allowed", `A company has at most ${ROLES_MAX} roles`);
    const [role] = await ctx.db
      .insert(roles)
      .values({ companyId: ctx.companyId, ...fields })
      .returning({ id: roles.id });
    await recordAudit(ctx, "role.created", { roleId: role!.id, ...fields });
    return role!.id;
  });
}
