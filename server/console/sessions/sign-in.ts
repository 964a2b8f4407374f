import { z } from "zod";

import { signIn as start, STEP_MINUTES } from "#server/core/access/people/sign-in.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "#server/core/access/second-factors/passkeys.ts";
import { stepCookie } from "#server/core/access/sign-in/step-cookie.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password, trimmedText } from "#server/http/text-fields.ts";

import { replaceSession } from "./replace-session.ts";
import { sessionOrigin } from "./session-origin.ts";

const Asked = z.object({
  totp: z.boolean(),
  recovery_code: z.boolean(),
  passkey: z
    .custom<PublicKeyCredentialRequestOptionsJSON>()
    .nullable()
    .describe("Challenge for the admin's passkeys"),
});

export const signIn = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in",
  summary: "Sign in with email address and password",
  permission: "same_origin",
  privilege: null,
  body: z.object({
    email: trimmedText(254),
    password: Password,
  }),
  bodyLimit: "directory",
  response: z.object({
    signed_in: z.boolean(),
    second_factor: Asked.nullable().describe(
      "One of these factors must be verified before the session starts",
    ),
  }),
  refusals: ["wrong_credentials", "rate_limit_exceeded", "invalid"],
  handle: async ({ db, request, body, headers }) => {
    const result = await start(db, { ...body, origin: sessionOrigin(request) });
    if (result.kind === "signed_in") {
      await replaceSession(db, request, headers, result.cookie);
      return { signed_in: true, second_factor: null };
    }
    headers.append("set-cookie", stepCookie(result.token, STEP_MINUTES));
    const { totp, recoveryCode, passkey } = result.factors;
    return { signed_in: false, second_factor: { totp, recovery_code: recoveryCode, passkey } };
  },
});
