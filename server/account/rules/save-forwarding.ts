import { requireIdentity } from "#server/core/mailboxes/account/own-account.ts";
import { opensMail, saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { identityFields } from "#server/http/factor-fields.ts";

import { ForwardingFields, RulesAnswer, rulesAnswer } from "./rule-fields.ts";

export const saveForwarding = defineEndpoint({
  method: "POST",
  path: "/account/api/forwarding",
  summary: "Set the forwarding addresses",
  description:
    "Adding an address or no longer keeping a copy requires you to verify your identity, and you're notified by email.",
  permission: "account",
  privilege: null,
  body: ForwardingFields.extend(identityFields),
  response: RulesAnswer,
  refusals: ["invalid", "not_allowed", "not_found", "rate_limit_exceeded"],
  handle: async ({ ctx, mailbox, body, request }) => {
    const change = { forwardTo: body.forward_to, keepCopy: body.keep_copy };
    const shown = { password: body.current_password, proof: body.proof };
    if (await opensMail(ctx, mailbox.address, change))
      await requireIdentity(ctx, mailbox, { ...shown, clientAddress: request.address });
    return rulesAnswer(ctx, mailbox.address, await saveRules(ctx, mailbox.address, change));
  },
});
