import { z } from "zod";

import { setPasswordByLink as set } from "#server/core/mailboxes/sign-in/password-link.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password } from "#server/http/text-fields.ts";

export const setPasswordByLink = defineEndpoint({
  method: "POST",
  path: "/account/api/password-link",
  summary: "Set a mailbox's password through a link, which works once",
  permission: "same_origin",
  privilege: null,
  body: z.object({ token: z.string().min(1).max(200), password: Password }),
  bodyLimit: "directory",
  response: z.object({ address: z.string() }),
  refusals: ["not_found", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body: { token, password } }) => ({
    address: await set(db, { token, password, clientAddress: request.address }),
  }),
});
