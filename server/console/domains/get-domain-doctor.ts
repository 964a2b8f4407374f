import { z } from "zod";

import { mailAppZoneLines } from "#server/core/mailboxes/client-settings/mail-app-records.ts";
import { diffTexts } from "#server/core/domains/doctor/diff-texts.ts";
import { examineDomain, type Examination } from "#server/core/domains/doctor/examine-domain.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { DNS_PROVIDERS, type DnsProvider } from "#server/core/domains/doctor/providers.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DomainDoctor } from "./domain-doctor.ts";

export const getDomainDoctor = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}/doctor",
  summary: "Diagnose a domain's DNS records",
  permission: "console",
  privilege: ["api_controls", "domains"],
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: DomainDoctor,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => domainDoctor(await examineDomain(ctx, params.id)),
});

function domainDoctor({
  provider,
  problems,
  records,
  zone,
  zoneFile,
}: Examination): z.input<typeof DomainDoctor> {
  return {
    problems: [...problems, ...records.flatMap((record) => record.problems)].map(recordProblem),
    provider: provider?.id ?? null,
    providers: DNS_PROVIDERS.map((known) => dnsProvider(known, zone)),
    zone_file: zoneFile + mailApps(records),
  };
}

/** Records for mail apps. */
function mailApps(records: Examination["records"]): string {
  const mx = records.find(({ record }) => record === "mx");
  return mx ? mailAppZoneLines(mx.name) : "";
}

function recordProblem({ expected, found, ...problem }: Problem) {
  const isComparable = expected !== null && found !== null;
  return { ...problem, difference: isComparable ? diffTexts(expected, found) : null };
}

function dnsProvider(
  { takesFullNames, wantsQuotes, wantsFinalDot, ...provider }: DnsProvider,
  zone: string,
): z.input<typeof DomainDoctor>["providers"][number] {
  return {
    ...provider,
    url: provider.url.replace("{zone}", zone),
    takes_full_names: takesFullNames,
    wants_quotes: wantsQuotes,
    wants_final_dot: wantsFinalDot,
  };
}
