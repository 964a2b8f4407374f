import { z } from "zod";

import { getRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { resumeForward } from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { RulesAnswer, rulesAnswer } from "./rule-fields.ts";

export const resumeForwarding = defineEndpoint({
  method: "POST",
  path: "/account/api/forwarding/resume",
  summary: "Resume forwarding to an address that kept failing",
  permission: "account",
  privilege: null,
  body: z.object({ address: z.string().max(320) }),
  response: RulesAnswer,
  refusals: ["invalid", "not_found"],
  handle: async ({ ctx, mailbox, body }) => {
    await resumeForward(ctx, mailbox.address, body.address);
    return rulesAnswer(ctx, mailbox.address, await getRules(ctx, mailbox.address));
  },
});
