import { z } from "zod";

import { regenerateRecoveryCodes as regenerate } from "#server/core/access/second-factors/regenerate-recovery-codes.ts";
import { personOwner } from "#server/core/access/second-factors/person-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProofFields, RecoveryCodes } from "#server/http/factor-fields.ts";
import { Password } from "#server/http/text-fields.ts";

export const regenerateRecoveryCodes = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/recovery-codes",
  summary: "Generate ten new recovery codes. The current codes stop working",
  permission: "console_door",
  privilege: null,
  body: z.object({ current_password: Password, proof: ProofFields }),
  bodyLimit: "directory",
  response: z.object({ recovery_codes: RecoveryCodes }),
  refusals: ["invalid", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, signedIn, body, request }) => {
    const { current_password: password, proof } = body;
    const shown = { password, proof, clientAddress: request.address };
    return { recovery_codes: await regenerate(ctx.db, personOwner(signedIn), shown) };
  },
});
