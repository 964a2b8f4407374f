import { z } from "zod";

import { defineEndpoint } from "#server/http/endpoint.ts";

import { DmarcReports, ReportDays } from "./dmarc-reports.ts";

export const getDmarcReports = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/dmarc-reports",
  summary: "What DMARC reports say about mail in a domain's name",
  permission: "console",
  privilege: "api_controls",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  query: ReportDays,
  response: DmarcReports,
  refusals: ["not_found", "invalid"],
  handle: () => Promise.reject(new Error("todo")),
});
