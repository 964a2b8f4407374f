import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { clearOverviewCache, dropWaiting } from "#server/core/operations/queue/queue.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Subject } from "./subject.ts";

export const dropMail = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/queue/drop",
  summary: "Drop mail on hold, up to a few thousand recipients per request",
  permission: "operator",
  privilege: null,
  body: Subject,
  response: z.object({
    dropped: z.number(),
    is_done: z.boolean().describe("If false, repeat the request to drop the rest"),
  }),
  refusals: ["invalid", "not_found", "not_allowed"],
  async handle(call) {
    const { dropped, isDone } = await dropWaiting(currentOperator(call), call.body);
    clearOverviewCache();
    return { dropped, is_done: isDone };
  },
});
