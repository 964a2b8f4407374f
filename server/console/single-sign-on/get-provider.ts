import { z } from "zod";

import { findProvider } from "#server/core/access/single-sign-on/providers.ts";
import { redirectUrl, signInLink } from "#server/core/access/single-sign-on/provider-attempt.ts";
import { countProviderUse } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const getProvider = defineEndpoint({
  method: "GET",
  path: "/console/api/single-sign-on",
  summary: "Get the company's identity provider",
  permission: "console",
  privilege: "manage_settings",
  response: z.object({
    redirect_url: z.string().describe("To register with the provider"),
    provider: z
      .object({
        issuer: z.string(),
        client_id: z.string(),
        required_for_admins: z.boolean(),
        is_second_factor: z
          .boolean()
          .describe("Posthouse skips the second factor after single sign-on"),
        allows_mailboxes: z.boolean().describe("Mailbox users can sign in with it at /account"),
        required_for_mailboxes: z.boolean(),
        sign_in_url: z.string().describe("Signs in without asking for an address"),
        mailbox_sign_in_url: z.string().describe("The same, for mailbox users"),
        is_used_now: z.boolean().describe("Your session started with it"),
      })
      .nullable(),
    mailboxes: z
      .object({
        linked: z.int().describe("Linked to an account at the provider"),
        with_password: z.int().describe("Used a mail app in the last 7 days, but no app password"),
        without_app_passwords: z.int().describe("Their unit doesn't allow app passwords"),
      })
      .nullable()
      .describe("Active mailboxes; null unless mailbox users can sign in with the provider"),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const found = await findProvider(ctx);
    const use = found?.allowsMailboxes ? await countProviderUse(ctx) : null;
    return {
      redirect_url: redirectUrl(),
      provider: found && {
        ...{ issuer: found.issuer, client_id: found.clientId },
        required_for_admins: found.requiredForAdmins,
        is_second_factor: found.isSecondFactor,
        allows_mailboxes: found.allowsMailboxes,
        required_for_mailboxes: found.requiredForMailboxes,
        sign_in_url: signInLink("console", found),
        mailbox_sign_in_url: signInLink("account", found),
        is_used_now: signedIn.providerId === found.id,
      },
      mailboxes: use && {
        linked: use.linked,
        with_password: use.withPassword,
        without_app_passwords: use.withoutAppPasswords,
      },
    };
  },
});
