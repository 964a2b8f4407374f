import { z } from "zod";

import { resetPassword as reset } from "#server/core/access/people/person-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const resetOwnPassword = defineEndpoint({
  method: "POST",
  path: "/console/api/password-reset/finish",
  summary: "Set a new password with a reset link and end all sessions",
  permission: "same_origin",
  privilege: null,
  body: z.object({ token: z.string().min(1).max(200), password: z.string().max(1000) }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["not_found", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body }) => {
    await reset(db, { ...body, clientAddress: request.address });
    return { changed: true as const };
  },
});
