import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { RulesAnswer, rulesAnswer, VacationFields } from "./rule-fields.ts";

export const saveVacation = defineEndpoint({
  method: "POST",
  path: "/account/api/vacation",
  summary: "Set the automatic reply",
  permission: "account",
  privilege: null,
  body: VacationFields,
  response: RulesAnswer,
  refusals: ["invalid", "not_found"],
  handle: async ({ ctx, mailbox, body }) => {
    const vacation = {
      isOn: body.is_on,
      subject: body.subject,
      text: body.text,
      startsOn: body.starts_on,
      endsOn: body.ends_on,
      timeZone: body.time_zone,
    };
    return rulesAnswer(ctx, mailbox.address, await saveRules(ctx, mailbox.address, { vacation }));
  },
});
