import { z } from "zod";

import { defineEndpoint } from "#server/http/endpoint.ts";

import { ReportDays } from "./dmarc-reports.ts";
import { TlsReports } from "./tls-reports.ts";

export const getTlsReports = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/tls-reports",
  summary: "What TLS reports say about deliveries to a domain",
  permission: "console",
  privilege: "api_controls",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  query: ReportDays,
  response: TlsReports,
  refusals: ["not_found", "invalid"],
  handle: () => Promise.reject(new Error("todo")),
});
