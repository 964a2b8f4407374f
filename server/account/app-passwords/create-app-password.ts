import { z } from "zod";

import { createAppPassword as create } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { requireIdentity } from "#server/core/mailboxes/account/own-account.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { identityFields } from "#server/http/factor-fields.ts";

export const createAppPassword = defineEndpoint({
  method: "POST",
  path: "/account/api/app-passwords",
  summary: "Create an app password, which is shown once",
  permission: "account",
  privilege: null,
  body: z.object({ name: z.string().max(1000), ...identityFields }),
  bodyLimit: "directory",
  response: z.object({ id: z.uuid(), secret: z.string() }),
  refusals: ["invalid", "not_allowed", "not_found", "rate_limit_exceeded"],
  async handle({ ctx, mailbox, body, request }) {
    const { name, current_password: password, proof } = body;
    const shown = { password, proof, clientAddress: request.address };
    return create(ctx, mailbox.address, name, () => requireIdentity(ctx, mailbox, shown));
  },
});
