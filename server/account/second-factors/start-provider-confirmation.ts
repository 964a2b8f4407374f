import { startProviderConfirmation as start } from "#server/core/mailboxes/account/account-sign-in.ts";
import { ATTEMPT_MINUTES } from "#server/core/access/single-sign-on/provider-attempt.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { ProviderUrl } from "#server/http/provider-fields.ts";

export const startProviderConfirmation = defineEndpoint({
  method: "POST",
  path: "/account/api/proof/provider",
  summary: "Start verifying your identity at the identity provider, instead of with the password",
  permission: "account",
  privilege: null,
  response: ProviderUrl,
  refusals: ["not_found", "not_allowed", "rate_limit_exceeded"],
  handle: async ({ ctx, mailbox, request, headers }) => {
    const { token, url } = await start(ctx.db, mailbox, request.address);
    headers.append("set-cookie", stepCookie("account", token, ATTEMPT_MINUTES));
    return { url };
  },
});
