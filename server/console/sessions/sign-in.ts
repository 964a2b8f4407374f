import { z } from "zod";

import { signIn as start } from "#server/core/admins/sign-in.ts";
import { endSession, findSignedIn } from "#server/core/sessions/sessions.ts";
import { requireSameOrigin } from "#server/http/authenticate.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const signIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in",
  summary: "Sign in with address and password",
  permission: "public",
  privilege: null,
  body: z.object({
    email: z.string().trim().min(1, { error: "is missing" }).max(254),
    password: z.string().min(1, { error: "is missing" }).max(1000),
  }),
  bodyLimit: "directory",
  response: z.object({ signed_in: z.literal(true) }),
  refusals: ["wrong_credentials", "rate_limit_exceeded", "cross_origin", "invalid"],
  handle: async ({ db, request, body, headers }) => {
    requireSameOrigin(request);
    const cookie = await start(db, { ...body, address: request.address });
    const before = await findSignedIn(db, request.headers.cookie ?? "");
    if (before) await endSession(db, before.sessionId);
    headers.append("set-cookie", cookie);
    return { signed_in: true as const };
  },
});
