import { z } from "zod";

import { signInAtAccount } from "#server/core/mailboxes/account/sign-in.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";

export const signIn = defineEndpoint({
  method: "POST",
  path: "/account/api/sign-in",
  summary: "Sign in with the mailbox address and password",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    address: trimmedText(320),
    password: Password,
  }),
  bodyLimit: "directory",
  response: z.object({ signed_in: z.literal(true) }),
  refusals: ["wrong_credentials", "rate_limit_exceeded", "not_allowed", "invalid"],
  handle: async ({ db, request, body, headers }) => {
    const { address: username, password } = body;
    const cookie = await signInAtAccount(
      db,
      { username, password, clientAddress: request.address },
      {
        cookieHeader: request.headers.cookie ?? "",
        userAgent: request.headers["user-agent"] ?? null,
      },
    );
    headers.append("set-cookie", cookie);
    return { signed_in: true as const };
  },
});
