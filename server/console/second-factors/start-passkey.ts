import { z } from "zod";

import { startPasskey as start } from "#server/core/access/second-factors/add-passkey.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "#server/core/access/second-factors/passkeys.ts";
import { personOwner } from "#server/core/access/second-factors/person-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password } from "#server/http/text-fields.ts";

export const startPasskey = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/passkeys/options",
  summary: "Start adding a passkey",
  permission: "console_door",
  privilege: null,
  body: z.object({ current_password: Password }),
  bodyLimit: "directory",
  response: z.object({ options: z.custom<PublicKeyCredentialCreationOptionsJSON>() }),
  refusals: ["invalid", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, signedIn, body, request }) => {
    const credentials = { password: body.current_password, clientAddress: request.address };
    return { options: await start(ctx.db, personOwner(signedIn), credentials) };
  },
});
