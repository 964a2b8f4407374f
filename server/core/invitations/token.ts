import { createHash, randomBytes } from "node:crypto";

import { config } from "#server/config.ts";

/** A new token for the link of an invitation, of 256 bits. */
export const newInvitationToken = () => randomBytes(32).toString("base64url");

/** What is stored of it: its hex SHA-256. */
export const hashOfInvitation = (token: string) => createHash("sha256").update(token).digest("hex");

/** The page where it is taken. */
export const invitationLink = (token: string) =>
  `${config().baseUrl}/console/invitation?token=${token}`;
