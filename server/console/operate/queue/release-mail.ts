import { z } from "zod";

import { currentOperator } from "#server/console/operate/current-operator.ts";
import { release } from "#server/core/operations/queue/holds.ts";
import { clearOverviewCache } from "#server/core/operations/queue/queue.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Subject } from "./subject.ts";

export const releaseMail = defineEndpoint({
  method: "POST",
  path: "/console/api/operate/queue/release",
  summary: "End a hold and send its mail immediately",
  permission: "operator",
  privilege: null,
  body: Subject,
  response: z.object({ released: z.literal(true) }),
  refusals: ["invalid", "not_found"],
  async handle(call) {
    await release(currentOperator(call), call.body);
    clearOverviewCache();
    return { released: true as const };
  },
});
