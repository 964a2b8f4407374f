import { z } from "zod";

import type { PublicKeyCredentialRequestOptionsJSON } from "#server/core/access/second-factors/passkeys.ts";
import { startPasskeyProof } from "#server/core/access/second-factors/require-proof.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getPasskeyChallenge = defineEndpoint({
  method: "POST",
  path: "/account/api/proof/options",
  summary: "Get a passkey challenge to confirm a security change",
  permission: "account",
  privilege: null,
  response: z.object({ options: z.custom<PublicKeyCredentialRequestOptionsJSON>() }),
  refusals: ["not_allowed"],
  handle: async ({ ctx, mailbox }) => ({
    options: await startPasskeyProof(ctx.db, mailboxOwner(ctx, mailbox)),
  }),
});
