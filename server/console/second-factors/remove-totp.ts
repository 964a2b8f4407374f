import { z } from "zod";

import { sessionOrigin } from "#server/http/session-origin.ts";
import { removeFactor } from "#server/core/access/second-factors/remove-factor.ts";
import { personOwner } from "#server/core/access/second-factors/person-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProofFields } from "#server/http/factor-fields.ts";
import { Password } from "#server/http/text-fields.ts";

export const removeTotp = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/totp/remove",
  summary: "Remove your authenticator app",
  permission: "console_door",
  privilege: null,
  body: z.object({ current_password: Password, proof: ProofFields }),
  bodyLimit: "directory",
  response: z.object({ removed: z.literal(true) }),
  refusals: ["not_found", "invalid", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, signedIn, body, request, headers }) => {
    const credentials = { password: body.current_password, proof: body.proof };
    const factor = { kind: "totp" } as const;
    const origin = sessionOrigin(request);
    const cookie = await removeFactor(
      ctx.db,
      personOwner(signedIn),
      { factor, ...credentials },
      origin,
    );
    headers.append("set-cookie", cookie);
    return { removed: true as const };
  },
});
