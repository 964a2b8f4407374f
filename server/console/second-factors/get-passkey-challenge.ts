import { z } from "zod";

import type { PublicKeyCredentialRequestOptionsJSON } from "#server/core/access/second-factors/passkeys.ts";
import { startPasskeyProof } from "#server/core/access/second-factors/require-proof.ts";
import { personOwner } from "#server/core/access/second-factors/person-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getPasskeyChallenge = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/proof/options",
  summary: "Get a passkey challenge to confirm a security change",
  permission: "console_door",
  privilege: null,
  response: z.object({ options: z.custom<PublicKeyCredentialRequestOptionsJSON>() }),
  refusals: ["not_allowed"],
  handle: async ({ ctx, signedIn }) => ({
    options: await startPasskeyProof(ctx.db, personOwner(signedIn)),
  }),
});
