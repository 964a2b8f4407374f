import { and, asc, eq, isNull, sql } from "drizzle-orm";

import { type Admin, admins, notificationSettings } from "#drizzle/schema/index.ts";
import { adminRolesSql } from "#server/core/access/privileges/grants.ts";
import {
  effectivePrivileges,
  hasPrivilegeAnywhere,
  hasPrivilegeIn,
  type HeldPrivileges,
  type RoleGrant,
} from "#server/core/access/privileges/privileges.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

import { type NoticeKind, privilegeOf } from "./notice-kinds.ts";

/** An admin that a notice concerns, and how they want to get it. */
export type NoticeReader = Pick<Admin, "id" | "name" | "email"> & {
  held: HeldPrivileges;
  byEmail: boolean;
  /** The settings with the URL to post it to; null if they don't want that. */
  urlOf: string | null;
};

/** The admins who can act on a notice, oldest first: owners, and those with the privilege in at least one unit. */
export async function listRecipients(ctx: CompanyScope, kind: NoticeKind): Promise<NoticeReader[]> {
  const { emailOff, urlOff, sealedUrl } = notificationSettings;
  const rows = await ctx.db
    .select({
      id: admins.id,
      name: admins.name,
      email: admins.email,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
      byEmail: sql<boolean>`not coalesce(${kind} = any(${emailOff}), false)`,
      urlOf: sql<
        string | null
      >`case when ${sealedUrl} is not null and not ${kind} = any(${urlOff}) then ${notificationSettings.id} end`,
    })
    .from(admins)
    .leftJoin(
      notificationSettings,
      and(
        eq(notificationSettings.email, admins.email),
        eq(notificationSettings.companyId, admins.companyId),
      ),
    )
    .where(and(eq(admins.companyId, ctx.companyId), isNull(admins.disabledAt)))
    .orderBy(asc(admins.createdAt));
  return rows
    .map(({ id, name, email, byEmail, urlOf, ...grants }) => ({
      ...{ id, name, email, byEmail, urlOf, held: effectivePrivileges(grants) },
    }))
    .filter(({ held }) => hasPrivilegeAnywhere(held, privilegeOf(kind)));
}

/** Whether an admin can act on a notice about a mailbox of the unit. */
export const canActIn = (
  { held }: NoticeReader,
  kind: "on_hold" | "quota",
  unitId: number,
): boolean => hasPrivilegeIn(held, privilegeOf(kind), unitId);
