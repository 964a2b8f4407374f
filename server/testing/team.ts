import { adminRoles, roles } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";

import { aContext, anAdmin } from "./factories.ts";

/** The context of an admin, as in their pages. */
export const asAdmin = (
  companyId: string,
  { id, email }: { id: string; email: string },
): Context => ({ ...aContext(companyId), actor: { kind: "admin", adminId: id, email } });

/** A role, assigned to `holders`. */
export async function aRole(
  companyId: string,
  {
    name = "Helpdesk",
    privileges = ["view_users"],
    orgUnitId = null,
    holders = [],
  }: {
    name?: string;
    privileges?: readonly Privilege[];
    orgUnitId?: number | null;
    holders?: { id: string }[];
  } = {},
) {
  const [role] = await db()
    .insert(roles)
    .values({ companyId, name, privileges: [...privileges], orgUnitId })
    .returning();
  for (const { id } of holders)
    await db().insert(adminRoles).values({ adminId: id, roleId: role!.id });
  return role!;
}

/** An admin who manages admins and has only `others` besides, with their context. */
export async function aManager(companyId: string, others: Privilege[] = []) {
  const admin = await anAdmin(companyId, { privileges: ["manage_admins", ...others] });
  return { ...admin, ctx: asAdmin(companyId, admin) };
}

/** An owner, with their context. */
export async function anOwner(companyId: string) {
  const admin = await anAdmin(companyId, { isOwner: true });
  return { ...admin, ctx: asAdmin(companyId, admin) };
}
