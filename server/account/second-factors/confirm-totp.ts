import { z } from "zod";

import { sessionOrigin } from "#server/http/session-origin.ts";
import { confirmTotp as confirm } from "#server/core/access/second-factors/confirm-totp.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { RecoveryCodes } from "#server/http/factor-fields.ts";
import { trimmedText } from "#server/http/text-fields.ts";

export const confirmTotp = defineEndpoint({
  method: "POST",
  path: "/account/api/totp/confirm",
  summary: "Confirm a new authenticator app with a code",
  permission: "account",
  privilege: null,
  body: z.object({ code: trimmedText(40) }),
  bodyLimit: "directory",
  response: z.object({ recovery_codes: RecoveryCodes.nullable() }),
  refusals: ["invalid", "not_allowed"],
  handle: async ({ ctx, mailbox, body, request, headers }) => {
    const added = await confirm(
      ctx.db,
      mailboxOwner(ctx, mailbox),
      body.code,
      sessionOrigin(request),
    );
    headers.append("set-cookie", added.cookie);
    return { recovery_codes: added.recoveryCodes };
  },
});
