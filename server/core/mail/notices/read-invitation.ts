import {
  findInvitation,
  type FoundInvitation,
} from "#server/core/access/invitations/find-invitation.ts";
import { invitationLink } from "#server/core/access/invitations/token.ts";
import { open } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** An invitation that is to be sent, with its link. */
export type SentInvitation = FoundInvitation & { link: string };

/** Null when it was taken or withdrawn meanwhile, is over, or has a newer link. */
export async function readInvitation(
  db: Db,
  companyId: string,
  { invitationId, sealedToken }: { invitationId: string; sealedToken: string },
): Promise<SentInvitation | null> {
  const token = open(sealedToken);
  const found = await findInvitation(db, token);
  if (found?.id !== invitationId || found.companyId !== companyId || found.isExpired) return null;
  return { ...found, link: invitationLink(token) };
}
