import { z } from "zod";

import { qrPath } from "#server/core/mailboxes/client-settings/qr-path.ts";
import { startTotp as start } from "#server/core/access/second-factors/start-totp.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Password } from "./fields.ts";

export const startTotp = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/totp",
  summary: "Begin to set up an authenticator app",
  permission: "console_door",
  privilege: null,
  body: z.object({ current_password: Password }),
  bodyLimit: "directory",
  response: z.object({
    secret: z.string().describe("Base32, to be typed where no camera is"),
    url: z.string(),
    qr: z.object({ size: z.number(), path: z.string() }),
  }),
  refusals: ["invalid", "rate_limit_exceeded", "cross_origin"],
  handle: async ({ ctx, signedIn, body, request }) => {
    const shown = { password: body.current_password, clientAddress: request.address };
    const { secret, url } = await start(ctx.db, signedIn, shown);
    return { secret, url, qr: qrPath(url) };
  },
});
