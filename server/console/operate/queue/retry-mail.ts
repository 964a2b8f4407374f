import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { clearOverviewCache, retryNow } from "#server/core/operations/queue/queue.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Subject } from "./subject.ts";

export const retryMail = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/queue/retry",
  summary: "Retry delayed mail immediately",
  permission: "operator",
  privilege: null,
  body: Subject,
  response: z.object({
    recipients: z.number().describe("Number of recipients rescheduled to now"),
  }),
  refusals: ["invalid", "not_found"],
  async handle(call) {
    const recipients = await retryNow(currentOperator(call), call.body);
    clearOverviewCache();
    return { recipients };
  },
});
