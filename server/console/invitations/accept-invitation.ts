import { z } from "zod";

import { replaceSession } from "#server/console/sessions/replace-session.ts";
import { sessionOrigin } from "#server/http/session-origin.ts";
import { acceptInvitation as accept } from "#server/core/access/invitations/accept-invitation.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { findSignedIn } from "#server/core/access/sessions/sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const acceptInvitation = defineEndpoint({
  method: "POST",
  path: "/console/api/invitation/accept",
  summary: "Accept an invitation",
  description: "Provide a name and a password, or neither to accept with the browser's session.",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    token: z.string().max(200),
    name: z.string().max(1000).optional(),
    password: z.string().max(1000).optional(),
  }),
  bodyLimit: "directory",
  response: z.object({ signed_in: z.literal(true) }),
  refusals: [
    ...(["not_found", "not_allowed", "already_exists", "not_signed_in"] as const),
    ...(["wrong_credentials", "rate_limit_exceeded", "invalid"] as const),
  ],
  async handle({ db, request, body: { token, name = "", password }, headers }) {
    const origin = sessionOrigin(request);
    if (password !== undefined) {
      const by = { name, password };
      await replaceSession(db, request, headers, await accept(db, { token, by, origin }));
    } else {
      const signedIn = await findSignedIn(db, request.headers.cookie ?? "");
      if (!signedIn)
        throw new Refusal("not_signed_in", "You're not signed in. Sign in and try again");
      headers.append("set-cookie", await accept(db, { token, by: { signedIn }, origin }));
    }
    return { signed_in: true as const };
  },
});
