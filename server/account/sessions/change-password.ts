import { z } from "zod";

import { changePassword as change } from "#server/core/mailboxes/account/own-account.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { OptionalPassword } from "#server/http/factor-fields.ts";
import { Password } from "#server/http/text-fields.ts";

export const changePassword = defineEndpoint({
  method: "POST",
  path: "/account/api/password",
  summary: "Change the password and end all other sessions",
  permission: "account_door",
  privilege: null,
  body: z.object({ current_password: OptionalPassword, password: Password }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["invalid", "rate_limit_exceeded", "not_allowed"],
  handle: async ({ ctx, mailbox, body, request, headers }) => {
    const cookie = await change(
      ctx,
      mailbox,
      { current: body.current_password, next: body.password },
      { clientAddress: request.address, userAgent: request.headers["user-agent"] ?? null },
    );
    headers.append("set-cookie", cookie);
    return { changed: true as const };
  },
});
