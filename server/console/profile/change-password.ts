import { z } from "zod";

import { sessionOrigin } from "#server/http/session-origin.ts";
import { changeOwnPassword } from "#server/core/access/people/person-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { Password } from "#server/http/text-fields.ts";

export const changePassword = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/password",
  summary: "Change your password and end all your other sessions",
  permission: "console_door",
  privilege: null,
  body: z.object({ current_password: Password, password: Password }),
  bodyLimit: "directory",
  response: z.object({ changed: z.literal(true) }),
  refusals: ["invalid", "rate_limit_exceeded"],
  handle: async ({ ctx, signedIn, body, request, headers }) => {
    const passwords = { current: body.current_password, next: body.password };
    const cookie = await changeOwnPassword(ctx.db, signedIn, passwords, sessionOrigin(request));
    headers.append("set-cookie", cookie);
    return { changed: true as const };
  },
});
