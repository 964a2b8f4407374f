import { z } from "zod";

import { sessionOrigin } from "#server/http/session-origin.ts";
import { finishPasskey as finish } from "#server/core/access/second-factors/add-passkey.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { NewCredential, RecoveryCodes } from "#server/http/factor-fields.ts";

export const finishPasskey = defineEndpoint({
  method: "POST",
  path: "/account/api/passkeys",
  summary: "Add the passkey created by the browser",
  permission: "account",
  privilege: null,
  body: z.object({ name: z.string().max(1000), response: NewCredential }),
  bodyLimit: "directory",
  response: z.object({ recovery_codes: RecoveryCodes.nullable() }),
  refusals: ["invalid", "not_allowed"],
  handle: async ({ ctx, mailbox, body, request, headers }) => {
    const added = await finish(ctx.db, mailboxOwner(ctx, mailbox), body, sessionOrigin(request));
    headers.append("set-cookie", added.cookie);
    return { recovery_codes: added.recoveryCodes };
  },
});
