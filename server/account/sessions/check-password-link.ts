import { z } from "zod";

import { readPasswordLink } from "#server/core/mailboxes/sign-in/password-link.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const checkPasswordLink = defineEndpoint({
  method: "POST",
  path: "/account/api/password-link/check",
  summary: "Check a link to set a mailbox's password",
  permission: "same_origin",
  privilege: null,
  body: z.object({ token: z.string().min(1).max(200) }),
  bodyLimit: "directory",
  response: z.object({ address: z.string(), password_length_min: z.int() }),
  refusals: ["not_found", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body: { token } }) => {
    const link = await readPasswordLink(db, { token, clientAddress: request.address });
    return { address: link.address, password_length_min: link.passwordLengthMin };
  },
});
