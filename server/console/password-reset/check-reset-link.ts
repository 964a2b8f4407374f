import { z } from "zod";

import { readResetLink } from "#server/core/access/people/person-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const checkResetLink = defineEndpoint({
  method: "POST",
  path: "/console/api/password-reset/check",
  summary: "Check a password reset link",
  permission: "same_origin",
  privilege: null,
  body: z.object({ token: z.string().min(1).max(200) }),
  bodyLimit: "directory",
  response: z.object({
    email: z.string(),
    keeps_factors: z.boolean().describe("Second factors are kept"),
  }),
  refusals: ["not_found", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body }) => {
    const clientAddress = request.address;
    const found = await readResetLink(db, { token: body.token, clientAddress });
    return { email: found.email, keeps_factors: found.keepsFactors };
  },
});
