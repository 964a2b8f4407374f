import { z } from "zod";

import { qrPath } from "#server/core/mailboxes/client-settings/qr-path.ts";
import { startTotp as start } from "#server/core/access/second-factors/start-totp.ts";
import { mailboxOwner } from "#server/core/mailboxes/account/mailbox-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { OptionalPassword } from "#server/http/factor-fields.ts";

export const startTotp = defineEndpoint({
  method: "POST",
  path: "/account/api/totp",
  summary: "Start setting up an authenticator app",
  permission: "account",
  privilege: null,
  body: z.object({ current_password: OptionalPassword }),
  bodyLimit: "directory",
  response: z.object({
    secret: z.string().describe("Base32, for manual entry"),
    url: z.string(),
    qr: z.object({ size: z.number(), path: z.string() }),
  }),
  refusals: ["invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, mailbox, body, request }) => {
    const credentials = { password: body.current_password, clientAddress: request.address };
    const { secret, url } = await start(ctx.db, mailboxOwner(ctx, mailbox), credentials);
    return { secret, url, qr: qrPath(url) };
  },
});
