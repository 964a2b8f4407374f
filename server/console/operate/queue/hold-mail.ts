import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { hold } from "#server/core/operations/queue/holds.ts";
import { clearOverviewCache } from "#server/core/operations/queue/queue.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Subject } from "./subject.ts";

export const holdMail = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/queue/holds",
  summary: "Put all mail to a destination or from a company on hold",
  permission: "operator",
  privilege: null,
  body: Subject.extend({ reason: z.string() }),
  response: Subject,
  refusals: ["invalid", "not_found"],
  async handle(call) {
    const held = await hold(currentOperator(call), call.body);
    clearOverviewCache();
    return held;
  },
});
