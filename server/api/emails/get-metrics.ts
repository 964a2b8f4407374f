import { getMetrics as get } from "#server/core/sending/metrics/get-metrics.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { metricsObject, MetricsObject } from "./metrics-object.ts";
import { MetricsQuery } from "./metrics-query.ts";

export const getMetrics = defineEndpoint({
  method: "GET",
  path: "/emails/metrics",
  summary: "Retrieve email metrics",
  description:
    "A count is the number of emails with at least one event of that type. Emails belong to the period in which they were sent or, if not sent, accepted.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  query: MetricsQuery,
  response: MetricsObject,
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => metricsObject(query, await get(ctx, query)),
});
