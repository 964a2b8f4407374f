import { eq, or, sql } from "drizzle-orm";

import { admins, companies, invitations } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { hashOfInvitation } from "./token.ts";

/** An invitation as the person who holds the link sees it. */
export type FoundInvitation = {
  id: string;
  companyId: string;
  companyName: string;
  email: string;
  name: string;
  isOwner: boolean;
  roleIds: string[];
  /** Names of those roles that still exist. */
  roles: string[];
  invitedBy: string;
  inviterKind: "admin" | "operator";
  /** As the company knows them; empty where it does not. */
  inviterName: string;
  expiresAt: string;
  isExpired: boolean;
  /** Whether the link is the one that was mailed. */
  isMailed: boolean;
};

/** The invitation of this link; null for one that was taken, withdrawn or replaced by a newer link. */
export async function findInvitation(db: Db, token: string): Promise<FoundInvitation | null> {
  const tokenHash = hashOfInvitation(token);
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
