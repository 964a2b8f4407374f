import { z } from "zod";

import { qrPath } from "#server/core/mailboxes/client-settings/qr-path.ts";
import { startTotp as start } from "#server/core/access/second-factors/start-totp.ts";
import { personOwner } from "#server/core/access/second-factors/person-owner.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password } from "#server/http/text-fields.ts";

export const startTotp = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/totp",
  summary: "Start setting up an authenticator app",
  permission: "console_door",
  privilege: null,
  body: z.object({ current_password: Password }),
  bodyLimit: "directory",
  response: z.object({
    secret: z.string().describe("Base32, for manual entry"),
    url: z.string(),
    qr: z.object({ size: z.number(), path: z.string() }),
  }),
  refusals: ["invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, signedIn, body, request }) => {
    const credentials = { password: body.current_password, clientAddress: request.address };
    const { secret, url } = await start(ctx.db, personOwner(signedIn), credentials);
    return { secret, url, qr: qrPath(url) };
  },
});
