import { eq, or, sql } from "drizzle-orm";

import { admins, companies, invitations } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { hashInvitationToken } from "./token.ts";

/** An invitation as shown to the holder of the link. */
export type FoundInvitation = {
  id: string;
  companyId: string;
  companyName: string;
  email: string;
  name: string;
  isOwner: boolean;
  roleIds: string[];
  /** Names of the roles that still exist. */
  roles: string[];
  invitedBy: string;
  inviterKind: "admin" | "operator";
  /** The inviter's name as an admin of the company; empty if they are none. */
  inviterName: string;
  expiresAt: string;
  isExpired: boolean;
  /** Whether the link is the one that was emailed, not the one the inviter copied. */
  isMailed: boolean;
};

/** Finds an invitation by its link's token; null if it was accepted, withdrawn or resent. */
export async function findInvitation(db: Db, token: string): Promise<FoundInvitation | null> {
  const tokenHash = hashInvitationToken(token);
  const [found] = await db
    .select({
      id: invitations.id,
      companyId: invitations.companyId,
      companyName: companies.name,
      email: invitations.email,
      name: invitations.name,
      isOwner: invitations.isOwner,
      roleIds: invitations.roleIds,
      roles: sql<string[]>`array(select r.name from roles r
        where r.company_id = ${invitations.companyId} and r.id = any(${invitations.roleIds})
        order by lower(r.name))`,
      invitedBy: invitations.invitedBy,
      inviterKind: invitations.inviterKind,
      inviterName: sql<string>`coalesce((select a.name from ${admins} a
        where a.company_id = ${invitations.companyId} and a.email = ${invitations.invitedBy}), '')`,
      expiresAt: invitations.expiresAt,
      isExpired: sql<boolean>`${invitations.expiresAt} <= clock_timestamp()`,
      isMailed: sql<boolean>`${invitations.tokenHash} = ${tokenHash}`,
    })
    .from(invitations)
    .innerJoin(companies, eq(companies.id, invitations.companyId))
    .where(or(eq(invitations.tokenHash, tokenHash), eq(invitations.copiedTokenHash, tokenHash)));
  return found ?? null;
}
