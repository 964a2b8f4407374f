import { z } from "zod";

import { summarizeTlsReports } from "#server/core/mail/reports/tls-summary.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ReportDays } from "./dmarc-reports.ts";

const count = z.number();

const TlsReports = z.object({
  sessions: count.describe("Connections"),
  successful: count,
  failed: count,
  days: z.array(z.object({ day: z.string(), successful: count, failed: count })),
  failures: z.array(
    z.object({
      type: z.string().describe("Result type of RFC 8460, 4.3"),
      sessions: count,
      reporters: z.array(z.string()),
      mail_hosts: z.array(z.string()).describe("Our mail servers named in the reports"),
      reasons: z.array(z.string()).describe("Failure reasons from the reports"),
    }),
  ),
  reporters: z.array(z.string()),
});

export const getTlsReports = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/tls-reports",
  summary: "Summarize a domain's TLS reports",
  permission: "console",
  privilege: ["api_controls", "domains"],
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  query: ReportDays,
  response: TlsReports,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) => {
    const { failures, ...summary } = await summarizeTlsReports(ctx, params.id, query);
    return {
      ...summary,
      failures: failures.map(({ mailHosts, ...failure }) => ({
        ...failure,
        mail_hosts: mailHosts,
      })),
    };
  },
});
