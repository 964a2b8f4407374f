import { and, asc, eq, isNull } from "drizzle-orm";

import { type Admin, admins } from "#drizzle/schema/index.ts";
import {
  hasPrivilegeIn,
  effectivePrivileges,
  type RoleGrant,
} from "#server/core/access/privileges/held-privileges.ts";
import { adminRolesSql } from "#server/core/access/privileges/admin-roles-sql.ts";
import { sql } from "drizzle-orm";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** Admins who can reset the passwords of a unit's mailboxes, oldest first. */
export async function listMailboxAdmins(
  ctx: CompanyScope,
  orgUnitId: number,
): Promise<Pick<Admin, "id" | "name" | "email">[]> {
  const people = await ctx.db
    .select({
      id: admins.id,
      name: admins.name,
      email: admins.email,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
    })
    .from(admins)
    .where(and(eq(admins.companyId, ctx.companyId), isNull(admins.disabledAt)))
    .orderBy(asc(admins.createdAt));
  return people.filter((person) =>
    hasPrivilegeIn(effectivePrivileges(person), "reset_user_passwords", orgUnitId),
  );
}
