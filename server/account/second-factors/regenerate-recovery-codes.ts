import { z } from "zod";

import { regenerateRecoveryCodes as regenerate } from "#server/core/access/second-factors/regenerate-recovery-codes.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { OptionalPassword, ProofFields, RecoveryCodes } from "#server/http/factor-fields.ts";

export const regenerateRecoveryCodes = defineEndpoint({
  method: "POST",
  path: "/account/api/recovery-codes",
  summary: "Generate ten new recovery codes. The current codes stop working",
  permission: "account",
  privilege: null,
  body: z.object({ current_password: OptionalPassword, proof: ProofFields }),
  bodyLimit: "directory",
  response: z.object({ recovery_codes: RecoveryCodes }),
  refusals: ["invalid", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, mailbox, body, request }) => {
    const { current_password: password, proof } = body;
    const shown = { password, proof, clientAddress: request.address };
    return { recovery_codes: await regenerate(ctx.db, mailboxOwner(ctx, mailbox), shown) };
  },
});
