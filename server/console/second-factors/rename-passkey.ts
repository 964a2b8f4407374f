import { z } from "zod";

import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import { renamePasskey as rename } from "#server/core/access/second-factors/passkey-name.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PasskeyId } from "#server/http/factor-fields.ts";

export const renamePasskey = defineEndpoint({
  method: "PATCH",
  path: "/console/api/profile/passkeys/{id}",
  summary: "Rename one of your passkeys",
  permission: "console_door",
  privilege: null,
  params: PasskeyId,
  body: z.object({ name: z.string().max(1000) }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["not_found", "invalid"],
  notFound: "Passkey not found",
  handle: async ({ ctx, signedIn, params, body }) => {
    await rename(ctx.db, personAccount(signedIn.email), { id: params.id, name: body.name });
    return { changed: true as const };
  },
});
