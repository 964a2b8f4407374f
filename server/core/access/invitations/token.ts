import { createHash, randomBytes } from "node:crypto";

import { config } from "#server/config.ts";

const newToken = () => randomBytes(32).toString("base64url");

/**
 * Creates the two 256-bit tokens of an invitation. Either one lets the invitee join, but only the emailed one
 * proves that they receive mail at the address: the inviter sees the copied one.
 */
export function newInvitationTokens() {
  const [mailed, copied] = [newToken(), newToken()];
  const stored = {
    tokenHash: hashInvitationToken(mailed),
    copiedTokenHash: hashInvitationToken(copied),
  };
  return { mailed, copied, stored };
}

/** Hex SHA-256: all that is stored of a token. */
export const hashInvitationToken = (token: string) =>
  createHash("sha256").update(token).digest("hex");

/**
 * The page to accept the invitation. The token is in the fragment, which browsers don't send, so it isn't
 * logged.
 */
export const invitationLink = (token: string) => `${config().baseUrl}/console/invitation#${token}`;
