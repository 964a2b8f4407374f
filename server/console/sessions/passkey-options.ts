import { z } from "zod";

import { startPasskeySignIn } from "#server/core/access/people/person-sign-in.ts";
import {
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
} from "#server/core/access/second-factors/passkeys.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const passkeyOptions = defineEndpoint({
  method: "POST",
  path: "/console/api/sign-in/passkey/options",
  summary: "Start a passkey sign-in",
  permission: "same_origin",
  privilege: null,
  response: z.object({ options: z.custom<PublicKeyCredentialRequestOptionsJSON>() }),
  refusals: ["not_allowed"],
  handle: async ({ db, headers }) => {
    const { token, options } = await startPasskeySignIn(db);
    headers.append("set-cookie", stepCookie("console", token, PASSKEY_MINUTES));
    return { options };
  },
});
