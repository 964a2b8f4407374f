import { saveRules } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { FiltersFields, RulesAnswer, rulesAnswer } from "./rule-fields.ts";

export const saveFilters = defineEndpoint({
  method: "POST",
  path: "/account/api/filters",
  summary: "Replace the filters, in order",
  permission: "account",
  privilege: null,
  body: FiltersFields,
  response: RulesAnswer,
  refusals: ["invalid", "not_found"],
  handle: async ({ ctx, mailbox, body }) => {
    const filters = body.filters.map(({ is_on: isOn, ...filter }) => ({ isOn, ...filter }));
    return rulesAnswer(ctx, mailbox.address, await saveRules(ctx, mailbox.address, { filters }));
  },
});
