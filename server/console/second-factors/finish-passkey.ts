import { z } from "zod";

import { sessionOrigin } from "#server/http/session-origin.ts";
import { finishPasskey as finish } from "#server/core/access/second-factors/add-passkey.ts";
import { personOwner } from "#server/core/access/second-factors/person-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { NewCredential, RecoveryCodes } from "#server/http/factor-fields.ts";

export const finishPasskey = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/passkeys",
  summary: "Add the passkey created by the browser",
  permission: "console_door",
  privilege: null,
  body: z.object({ name: z.string().max(1000), response: NewCredential }),
  bodyLimit: "directory",
  response: z.object({ recovery_codes: RecoveryCodes.nullable() }),
  refusals: ["invalid", "not_allowed"],
  handle: async ({ ctx, signedIn, body, request, headers }) => {
    const added = await finish(ctx.db, personOwner(signedIn), body, sessionOrigin(request));
    headers.append("set-cookie", added.cookie);
    return { recovery_codes: added.recoveryCodes };
  },
});
