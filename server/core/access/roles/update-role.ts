import { eq } from "drizzle-orm";

import { roles } from "#drizzle/schema/index.ts";
import { lockTeam } from "#server/core/access/admins/lock-team.ts";
import { requireTeamManager } from "#server/core/access/admins/team-manager.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  grantedPrivileges,
  requireCanGrant,
} from "#server/core/access/privileges/require-can-grant.ts";

import { requireFreeRoleName } from "./internal/free-name.ts";
import { readRole, type RoleFields, type RoleInput } from "./read-role.ts";
import { lockRole, type Role } from "./lock-role.ts";

/**
 * Changes a role, and thereby the privileges of its holders. The caller needs to hold only the privileges
 * that the change adds.
 *
 * @param expected the role as the caller saw it
 * @throws Refusal `not_found`, `invalid`, `already_exists`, `not_allowed`, `resource_in_use` if the role
 *   changed since the caller read it
 */
export async function updateRole(
  ctx: Context,
  id: string,
  { written, expected }: { written: RoleInput; expected: RoleInput },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const before = await lockRole(ctx, id);
    requireUnchanged(before, expected);
    const after = await readRole(ctx, written);
    requireCanGrant(manager, addedPrivileges(before, after), "This role");
    await requireFreeRoleName(ctx, after.name, id);
    const changed = differences(before, after);
    if (Object.keys(changed).length === 0) return;
    await ctx.db.update(roles).set(after).where(eq(roles.id, id));
    await recordAudit(ctx, "role.updated", { roleId: id, name: before.name, changed });
  });
}

function requireUnchanged(role: Role, expected: RoleInput): void {
  const isSame =
    role.name === expected.name &&
    role.orgUnitId === expected.orgUnitId &&
    isSameSet(role.privileges, expected.privileges);
  if (!isSame)
    throw new Refusal(
      "resource_in_use",
      "This role has changed since you opened it. Reload it and try again",
    );
}

/** What the change adds; everything, if the role moves to another unit. */
function addedPrivileges(before: Role, after: RoleFields): RoleFields {
  const given = before.orgUnitId === after.orgUnitId ? grantedPrivileges(before) : [];
  return { ...after, privileges: after.privileges.filter((each) => !given.includes(each)) };
}

function differences(before: Role, after: RoleFields) {
  return {
    ...(before.name !== after.name && { name: { from: before.name, to: after.name } }),
    ...(before.orgUnitId !== after.orgUnitId && {
      orgUnitId: { from: before.orgUnitId, to: after.orgUnitId },
    }),
    ...(!isSameSet(before.privileges, after.privileges) && {
      privileges: { from: before.privileges, to: after.privileges },
    }),
  };
}

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;
