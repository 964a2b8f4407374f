import { z } from "zod";

import { tlsSummary } from "#server/core/mail/reports/tls-summary.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ReportDays } from "./dmarc-reports.ts";
import { TlsReports } from "./tls-reports.ts";

export const getTlsReports = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/tls-reports",
  summary: "What TLS reports say about deliveries to a domain",
  permission: "console",
  privilege: ["api_controls", "domains"],
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  query: ReportDays,
  response: TlsReports,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) => {
    const { failures, ...summary } = await tlsSummary(ctx, params.id, query);
    return {
      ...summary,
      failures: failures.map(({ mailHosts, ...failure }) => ({
        ...failure,
        mail_hosts: mailHosts,
      })),
    };
  },
});
