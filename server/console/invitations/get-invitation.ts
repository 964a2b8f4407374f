import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { findInvitation } from "#server/core/access/invitations/invitations.ts";
import { findSignedIn } from "#server/core/access/sessions/sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

/** A POST, because URLs with tokens end up in logs. */
export const getInvitation = defineEndpoint({
  method: "POST",
  path: "/console/api/invitation/look",
  summary: "Get the invitation for a token",
  description: "Doesn't reveal whether the address already signs in here.",
  permission: "same_origin",
  privilege: null,
  body: z.object({ token: z.string().max(200) }),
  bodyLimit: "directory",
  response: z.object({
    signed_in_as: z.string().nullable().describe("The admin signed in to this browser"),
    invitation: z
      .object({
        company: z.string(),
        email: z.string(),
        name: z.string(),
        is_owner: z.boolean(),
        roles: z.array(z.string()),
        invited_by: z.string(),
        inviter_name: z.string(),
        expires_at: z.string(),
        is_expired: z.boolean(),
      })
      .nullable()
      .describe("Null if it was accepted, withdrawn, or replaced"),
  }),
  refusals: ["invalid"],
  async handle({ db, request, body: { token } }) {
    const signedIn = await findSignedIn(db, request.headers.cookie ?? "");
    const found = await findInvitation(db, token);
    return {
      signed_in_as: signedIn?.email ?? null,
      invitation: found && {
        ...{ company: found.companyName, email: found.email, name: found.name },
        ...{ is_owner: found.isOwner, roles: found.roles },
        ...{ invited_by: found.invitedBy, inviter_name: found.inviterName },
        ...{ expires_at: consoleTimestamp(found.expiresAt), is_expired: found.isExpired },
      },
    };
  },
});
