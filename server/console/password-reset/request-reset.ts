import { z } from "zod";

import { requestPasswordReset } from "#server/core/access/people/person-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const requestReset = defineEndpoint({
  method: "POST",
  path: "/console/api/password-reset",
  summary: "Email a password reset link",
  permission: "same_origin",
  privilege: null,
  body: z.object({ email: trimmedText(254) }),
  bodyLimit: "directory",
  response: z.object({ asked: z.literal(true) }),
  refusals: ["rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body }) => {
    await requestPasswordReset(db, { email: body.email, clientAddress: request.address });
    return { asked: true as const };
  },
});
