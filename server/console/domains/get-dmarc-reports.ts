import { z } from "zod";

import {
  type DmarcSummary,
  summarizeDmarcReports,
} from "#server/core/mail/reports/dmarc-summary.ts";
import { lookUpSourceNames } from "#server/core/mail/reports/look-up-source-names.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DmarcReports, ReportDays } from "./dmarc-reports.ts";

export const getDmarcReports = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/dmarc-reports",
  summary: "Summarize a domain's DMARC reports",
  permission: "console",
  privilege: ["api_controls", "domains"],
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  query: ReportDays,
  response: DmarcReports,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) => {
    const summary = await summarizeDmarcReports(ctx, params.id, query);
    const names = await lookUpSourceNames(summary.sources.map(({ sourceIp }) => sourceIp));
    return dmarcReports(summary, names);
  },
});

function dmarcReports(
  { sources, sourceCount, ...summary }: DmarcSummary,
  names: Map<string, string>,
): z.input<typeof DmarcReports> {
  return {
    ...summary,
    source_count: sourceCount,
    sources: sources.map((source) => ({
      address: source.sourceIp,
      host: names.get(source.sourceIp) ?? null,
      messages: source.messages,
      passed: source.passed,
      dkim_passed: source.dkimPassed,
      spf_passed: source.spfPassed,
      quarantined: source.quarantined,
      rejected: source.rejected,
      header_from: source.headerFrom,
      reporters: source.reporters,
    })),
  };
}
