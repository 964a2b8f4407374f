import { asc, eq, sql } from "drizzle-orm";

import { invitations } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** A pending or expired invitation. */
export type ListedInvitation = {
  id: string;
  email: string;
  name: string;
  isOwner: boolean;
  /** Names of the roles that still exist. */
  roles: string[];
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
  isExpired: boolean;
};

/** Lists the company's invitations by address, at most 100. */
export const listInvitations = (ctx: Context): Promise<ListedInvitation[]> =>
  ctx.db
    .select({
      id: invitations.id,
      email: invitations.email,
      name: invitations.name,
      isOwner: invitations.isOwner,
      roles: sql<string[]>`array(select r.name from roles r
        where r.company_id = ${invitations.companyId} and r.id = any(${invitations.roleIds})
        order by lower(r.name))`,
      invitedBy: invitations.invitedBy,
      createdAt: invitations.createdAt,
      expiresAt: invitations.expiresAt,
      isExpired: sql<boolean>`${invitations.expiresAt} <= clock_timestamp()`,
    })
    .from(invitations)
    .where(eq(invitations.companyId, ctx.companyId))
    .orderBy(asc(invitations.email));
