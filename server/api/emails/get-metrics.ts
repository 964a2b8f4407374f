import { getMetrics as get } from "#server/core/sending/metrics/get-metrics.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { metricsObject, MetricsObject } from "./metrics-object.ts";
import { MetricsQuery } from "./metrics-query.ts";

export const getMetrics = defineEndpoint({
  method: "GET",
  path: "/emails/metrics",
  summary: "Count emails by what became of them",
  description:
    "Each count is the number of emails with at least one event of the type. Emails are placed by the time they were sent, or accepted if they were not.",
  permission: "full_access",
  privilege: "api_controls",
  query: MetricsQuery,
  response: MetricsObject,
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => metricsObject(query, await get(ctx, query)),
});
