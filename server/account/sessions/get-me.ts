import { z } from "zod";

import { getOverview } from "#server/core/mailboxes/account/own-account.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getMe = defineEndpoint({
  method: "GET",
  path: "/account/api/me",
  summary: "Get the mailbox, its usage, and what the company allows",
  permission: "account_door",
  privilege: null,
  response: z.object({
    address: z.string(),
    name: z.string(),
    company: z.string(),
    must_change_password: z.boolean(),
    provider_id: z
      .string()
      .nullable()
      .describe("The identity provider that the session started with"),
    accepts_password: z
      .boolean()
      .describe("Whether the mailbox password works; not if the company requires single sign-on"),
    aliases: z.array(z.string()),
    used_bytes: z.number(),
    quota_bytes: z.number(),
    messages: z.number(),
    allows: z.object({ app_passwords: z.boolean(), forwarding_outside: z.boolean() }),
    password_length_min: z.number(),
    shows_quarantine: z.boolean(),
  }),
  refusals: [],
  handle: async ({ ctx, mailbox }) => {
    const overview = await getOverview(ctx, mailbox.address);
    return {
      address: mailbox.address,
      name: mailbox.name,
      company: mailbox.companyName,
      must_change_password: mailbox.forcePasswordChange,
      provider_id: mailbox.providerId,
      accepts_password: !mailbox.isProviderRequired,
      aliases: overview.aliases,
      used_bytes: overview.usedBytes,
      quota_bytes: overview.quotaMb * 1024 * 1024,
      messages: overview.messages,
      allows: {
        app_passwords: overview.areAppPasswordsAllowed,
        forwarding_outside: overview.isOutsideAllowed,
      },
      password_length_min: overview.passwordLengthMin,
      shows_quarantine: overview.isQuarantineVisible,
    };
  },
});
