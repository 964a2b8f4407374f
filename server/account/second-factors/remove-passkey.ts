import { z } from "zod";

import { sessionOrigin } from "#server/http/session-origin.ts";
import { removeFactor } from "#server/core/access/second-factors/remove-factor.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { OptionalPassword, PasskeyId, ProofFields } from "#server/http/factor-fields.ts";

export const removePasskey = defineEndpoint({
  method: "POST",
  path: "/account/api/passkeys/{id}/remove",
  summary: "Remove one of your passkeys",
  permission: "account",
  privilege: null,
  params: PasskeyId,
  body: z.object({ current_password: OptionalPassword, proof: ProofFields }),
  bodyLimit: "directory",
  response: z.object({ removed: z.literal(true) }),
  refusals: ["not_found", "invalid", "not_allowed", "rate_limit_exceeded"],
  notFound: "Passkey not found",
  handle: async ({ ctx, mailbox, params, body, request, headers }) => {
    const credentials = { password: body.current_password, proof: body.proof };
    const factor = { kind: "passkey", id: params.id } as const;
    const origin = sessionOrigin(request);
    const cookie = await removeFactor(
      ctx.db,
      mailboxOwner(ctx, mailbox),
      { factor, ...credentials },
      origin,
    );
    headers.append("set-cookie", cookie);
    return { removed: true as const };
  },
});
