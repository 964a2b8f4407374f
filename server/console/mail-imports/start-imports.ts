import { z } from "zod";

import { ACCOUNTS_MAX, startImports as start } from "#server/core/mailboxes/imports/imports.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { accountFields, serverFields } from "./server-fields.ts";

export const startImports = defineEndpoint({
  method: "POST",
  path: "/console/api/mail-imports",
  summary: "Import mail from accounts on another server; an earlier import of an account continues",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  bodyLimit: "sending",
  body: z.object({
    ...serverFields,
    keep_secret: z
      .boolean()
      .default(true)
      .describe("For up to 14 days, to import new mail without entering it again"),
    accounts: z
      .array(z.object({ ...accountFields, mailbox: z.string().max(1_000) }))
      .min(1)
      .max(ACCOUNTS_MAX, { error: `must have at most ${ACCOUNTS_MAX} entries` }),
  }),
  response: z.object({ ids: z.array(z.string()).describe("In the order of the accounts") }),
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, signedIn, body }) {
    const { secret_kind: secretKind, keep_secret: keepsSecret, ...given } = body;
    return { ids: await start(ctx, signedIn, { ...given, secretKind, keepsSecret }) };
  },
});
