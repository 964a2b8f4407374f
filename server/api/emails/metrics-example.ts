import type { Example } from "#server/http/code-samples.ts";

/** A sample for the metrics of emails. */
export const metricsExample = (domainId: string): Record<string, Example> => ({
  "GET /emails/metrics": {
    query: {
      start_date: "2026-03-01",
      metrics: "sent,delivered,delivery_rate",
      dimensions: "domain",
    },
    answer: {
      object: "metrics",
      start_date: "2026-03-01T00:00:00.000Z",
      end_date: "2026-03-08T12:00:00.000Z",
      timezone: "UTC",
      granularity: "daily",
      metrics: ["sent", "delivered", "delivery_rate"],
      dimensions: ["domain"],
      totals: { sent: 2000, delivered: 1991, delivery_rate: 0.9955 },
      data: [
        {
          domain_id: domainId,
          domain_name: "shop.example",
          ...{ sent: 2000, delivered: 1991, delivery_rate: 0.9955 },
        },
      ],
    },
    sdk: [
      "emails.metrics",
      {
        startDate: "2026-03-01",
        metrics: ["sent", "delivered", "delivery_rate"],
        dimensions: ["domain"],
      },
    ],
  },
});
