import { z } from "zod";

import { sessionOrigin } from "#server/console/sessions/session-origin.ts";
import { confirmTotp as confirm } from "#server/core/access/second-factors/confirm-totp.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { trimmedText } from "#server/http/text-fields.ts";

import { RecoveryCodes } from "./recovery-codes.ts";

export const confirmTotp = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/totp/confirm",
  summary: "Confirm a new authenticator app with a code",
  permission: "console_door",
  privilege: null,
  body: z.object({ code: trimmedText(40) }),
  bodyLimit: "directory",
  response: z.object({ recovery_codes: RecoveryCodes.nullable() }),
  refusals: ["invalid", "not_allowed"],
  handle: async ({ ctx, signedIn, body, request, headers }) => {
    const added = await confirm(ctx.db, signedIn, body.code, sessionOrigin(request));
    headers.append("set-cookie", added.cookie);
    return { recovery_codes: added.recoveryCodes };
  },
});
