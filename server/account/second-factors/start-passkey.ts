import { z } from "zod";

import { startPasskey as start } from "#server/core/access/second-factors/add-passkey.ts";
import type { PublicKeyCredentialCreationOptionsJSON } from "#server/core/access/second-factors/passkeys.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { OptionalPassword } from "#server/http/factor-fields.ts";

export const startPasskey = defineEndpoint({
  method: "POST",
  path: "/account/api/passkeys/options",
  summary: "Start adding a passkey",
  permission: "account",
  privilege: null,
  body: z.object({ current_password: OptionalPassword }),
  bodyLimit: "directory",
  response: z.object({ options: z.custom<PublicKeyCredentialCreationOptionsJSON>() }),
  refusals: ["invalid", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, mailbox, body, request }) => {
    const credentials = { password: body.current_password, clientAddress: request.address };
    return { options: await start(ctx.db, mailboxOwner(ctx, mailbox), credentials) };
  },
});
