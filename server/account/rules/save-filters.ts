import type { z } from "zod";

import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
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
  refusals: ["invalid", "not_found", "resource_in_use"],
  handle: async ({ ctx, mailbox, body }) => {
    const { address } = mailbox;
    const filters = toFilters(body.filters);
    const expected = body.expected_filters && { filters: toFilters(body.expected_filters) };
    return rulesAnswer(ctx, address, await saveRules(ctx, address, { filters }, expected));
  },
});

const toFilters = (filters: z.output<typeof FiltersFields>["filters"]) =>
  filters.map(({ is_on: isOn, ...filter }) => ({ isOn, ...filter }));
