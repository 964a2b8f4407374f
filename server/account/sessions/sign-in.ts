import { z } from "zod";

import { signInAtAccount } from "#server/core/mailboxes/account/sign-in.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const signIn = defineEndpoint({
  method: "POST",
  path: "/account/api/sign-in",
  summary: "Sign in with the mailbox address and password",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    address: z.string().trim().min(1, { error: "is required" }).max(320),
    password: z.string().min(1, { error: "is required" }).max(1000),
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
