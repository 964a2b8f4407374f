import { saveRules } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ForwardingFields, RulesAnswer, rulesAnswer } from "./rule-fields.ts";

export const saveForwarding = defineEndpoint({
  method: "POST",
  path: "/account/api/forwarding",
  summary: "Set the forwarding addresses",
  permission: "account",
  privilege: null,
  body: ForwardingFields,
  response: RulesAnswer,
  refusals: ["invalid", "not_allowed", "not_found"],
  handle: async ({ ctx, mailbox, body }) => {
    const change = { forwardTo: body.forward_to, keepCopy: body.keep_copy };
    return rulesAnswer(ctx, mailbox.address, await saveRules(ctx, mailbox.address, change));
  },
});
