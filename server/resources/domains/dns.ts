import { z } from "zod";

import {
  DNS_HOST_IDS,
  previewChanges,
  publishRecords,
} from "#server/core/domains/dns-setup/dns-setup.ts";
import { diffTexts } from "#server/core/domains/doctor/diff-texts.ts";
import { type Examination, examineDomain } from "#server/core/domains/doctor/examine-domain.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { DNS_PROVIDERS, type DnsProvider } from "#server/core/domains/doctor/providers.ts";
import { emailRecords } from "#server/core/domains/domains/sending-domains.ts";
import {
  type DmarcSummary,
  lookUpSourceNames,
  summarizeDmarcReports,
  summarizeTlsReports,
} from "#server/core/mail/reports/report-summaries.ts";
import { mailAppZoneLines } from "#server/core/mailboxes/client-settings/mail-app-records.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { DomainPath } from "./api.ts";

/** The report period in days, ending today. */
const ReportDays = z.object({
  days: z
    .enum(["7", "30", "90"], { error: "must be 7, 30 or 90" })
    .default("30")
    .transform((days) => Number(days)),
});

/** Other characters can't be sent to a provider. */
const Secret = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]*$/, { error: "contains a space or a character that isn't ASCII" });

/** Used for one request; see `server/core/domains/dns-setup`. */
const SetupAccess = z.object({
  provider: z.enum(DNS_HOST_IDS),
  token: Secret.min(1).max(500),
});

const toAccess = ({ provider, token }: z.output<typeof SetupAccess>) => ({
  host: provider,
  token,
});

const dmarcReports = ({ sources, ...summary }: DmarcSummary, names: Map<string, string>) => ({
  ...summary,
  sources: sources.map((source) => ({
    address: source.sourceIp,
    host: names.get(source.sourceIp) ?? null,
    messages: source.messages,
    passed: source.passed,
    dkimPassed: source.dkimPassed,
    spfPassed: source.spfPassed,
    quarantined: source.quarantined,
    rejected: source.rejected,
    headerFrom: source.headerFrom,
    reporters: source.reporters,
  })),
});

const domainDoctor = ({ provider, problems, records, zone, zoneFile }: Examination) => ({
  problems: [...problems, ...records.flatMap((record) => record.problems)].map(recordProblem),
  provider: provider?.id ?? null,
  providers: DNS_PROVIDERS.map((known) => dnsProvider(known, zone)),
  zoneFile: zoneFile + mailApps(records),
});

/** Records for mail apps. */
function mailApps(records: Examination["records"]): string {
  const mx = records.find(({ record }) => record === "mx");
  return mx ? mailAppZoneLines(mx.name) : "";
}

function recordProblem({ expected, found, ...problem }: Problem) {
  const isComparable = expected !== null && found !== null;
  return { ...problem, difference: isComparable ? diffTexts(expected, found) : null };
}

const dnsProvider = (provider: DnsProvider, zone: string) => ({
  id: provider.id,
  name: provider.name,
  url: provider.url.replace("{zone}", zone),
  fields: provider.fields,
  steps: provider.steps,
  takesFullNames: provider.takesFullNames,
  apex: provider.apex,
  wantsQuotes: provider.wantsQuotes,
  wantsFinalDot: provider.wantsFinalDot,
});

export const dnsConsole = pageEndpoints("console", "dns", {
  emailRecords: change({
    privilege: "domains",
    params: DomainPath,
    body: z.object({ to: z.string().min(1).max(320) }),
    handle: async ({ ctx, params, body, signedIn }) => {
      await emailRecords(ctx, params.id, { to: body.to, sentBy: signedIn.email });
      return { id: params.id };
    },
  }),

  previewDnsSetup: change({
    privilege: "domains",
    params: DomainPath,
    body: SetupAccess,
    handle: ({ ctx, params, body }) => previewChanges(ctx, params.id, toAccess(body)),
  }),

  publishDnsSetup: change({
    privilege: "domains",
    params: DomainPath,
    body: SetupAccess.extend({
      digest: z.string().max(64),
      confirmed: z.array(z.string().max(40)).max(40),
    }),
    handle: async ({ ctx, params, body: { digest, confirmed, ...access } }) => ({
      results: await publishRecords(ctx, params.id, { ...toAccess(access), digest, confirmed }),
    }),
  }),

  getDoctor: read({
    privilege: ["api_controls", "domains"],
    params: DomainPath,
    handle: async ({ ctx, params }) => domainDoctor(await examineDomain(ctx, params.id)),
  }),

  getDmarcReports: read({
    privilege: ["api_controls", "domains"],
    params: DomainPath,
    query: ReportDays,
    handle: async ({ ctx, params, query }) => {
      const summary = await summarizeDmarcReports(ctx, params.id, query);
      const names = await lookUpSourceNames(summary.sources.map(({ sourceIp }) => sourceIp));
      return dmarcReports(summary, names);
    },
  }),

  getTlsReports: read({
    privilege: ["api_controls", "domains"],
    params: DomainPath,
    query: ReportDays,
    handle: ({ ctx, params, query }) => summarizeTlsReports(ctx, params.id, query),
  }),
});
