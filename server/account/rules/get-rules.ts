import { getRules as get } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { RulesAnswer, rulesAnswer } from "./rule-fields.ts";

export const getRules = defineEndpoint({
  method: "GET",
  path: "/account/api/rules",
  summary: "Get the rules for incoming mail",
  permission: "account",
  privilege: null,
  response: RulesAnswer,
  refusals: ["not_found"],
  handle: async ({ ctx, mailbox }) =>
    rulesAnswer(ctx, mailbox.address, await get(ctx, mailbox.address)),
});
