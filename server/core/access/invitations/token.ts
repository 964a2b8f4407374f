import { createHash, randomBytes } from "node:crypto";

import { config } from "#server/config.ts";

const newToken = () => randomBytes(32).toString("base64url");

/**
 * The two new tokens of an invitation, of 256 bits each. Either lets the person join. Who comes with the
 * mailed one has shown that they read mail of the address; who asked sees the copied one, so it shows
 * nothing.
 */
export function newInvitationTokens() {
  const [mailed, copied] = [newToken(), newToken()];
  const stored = {
    tokenHash: hashOfInvitation(mailed),
    copiedTokenHash: hashOfInvitation(copied),
  };
  return { mailed, copied, stored };
}

/** What is stored of a token: its hex SHA-256. */
export const hashOfInvitation = (token: string) => createHash("sha256").update(token).digest("hex");

/** The page where it is taken. The token stands behind the `#`: browsers send that to nobody, so no log has it. */
export const invitationLink = (token: string) => `${config().baseUrl}/console/invitation#${token}`;
