import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { getDomain } from "tldts";

import { looksLikeDmarc } from "#server/core/domains/records/txt-records.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { CountedDay } from "#server/core/shared/daily-counts.ts";
import type { Db } from "#server/db/client.ts";

import { dmarcDays, readDmarcCounts } from "./dmarc-counts.ts";
import { dmarcReport } from "./dmarc-report.ts";
import { queueReport, reportIdOf } from "./queue-report.ts";
import { type Means, reportDays, type ReportOptions } from "./report-days.ts";
import { readReportAddresses } from "./report-uris.ts";

/** The message around the report, and base64. */
const MESSAGE_OVERHEAD = { factor: 1.4, bytes: 4096 };

const compress = promisify(gzip);

/**
 * Sends the DMARC aggregate reports (RFC 7489, 7.2) of past days to the domains that ask for them. What can't be looked up
 * is left for the next run, for two days. Safe to run concurrently: a report has one id.
 */
export const sendDmarcReports = (db: Db, options: ReportOptions): Promise<void> =>
  reportDays(db, { setting: "dmarc_reports", counts: dmarcDays, report: reportDomain }, options);

async function reportDomain(
  db: Db,
  counted: CountedDay,
  { resolver, reporter }: Means,
): Promise<void> {
  const asked = await resolver.txt(`_dmarc.${counted.domain}`);
  if (asked.kind === "failed") return;
  const records = asked.kind === "found" ? asked.records.filter(looksLikeDmarc) : [];
  const [record] = records;
  if (record === undefined || records.length > 1) {
    await dmarcDays.delete(db, counted);
    return;
  }
  const addresses = await findWilling(record, counted.domain, resolver);
  if (addresses === null) return;
  const counts = await readDmarcCounts(db, counted);
  const reportId = reportIdOf("dmarc", counted);
  const facts = { ...counted, organization: reporter.domain, reportId, record };
  const content = await compress(dmarcReport(counts, facts));
  const size = content.length * MESSAGE_OVERHEAD.factor + MESSAGE_OVERHEAD.bytes;
  const to = addresses
    .filter(({ bytesMax }) => bytesMax === null || size <= bytesMax)
    .map(({ address }) => address);
  await db.transaction(async (tx) => {
    const report = { kind: "dmarc" as const, ...counted, reportId, content };
    if (to.length > 0 && counts.length > 0) await queueReport(tx, reporter, { report, to });
    await dmarcDays.delete(tx, counted);
  });
}

/**
 * The addresses for reports. Those at other organizations must have agreed in the DNS (RFC 7489, 7.1), or anyone could
 * have reports sent to them. Those for which that can't be looked up now are skipped; null if there are no others.
 */
async function findWilling(record: string, domain: string, resolver: Means["resolver"]) {
  const rua = /;\s*rua\s*=([^;]*)/i.exec(record)?.[1] ?? "";
  const willing = [];
  let isUncertain = false;
  for (const one of readReportAddresses(rua)) {
    const host = addressDomain(one.address).toLowerCase();
    const answer = isSameOrganization(host, domain)
      ? true
      : await accepts(resolver, { host, domain });
    if (answer === null) isUncertain = true;
    else if (answer) willing.push(one);
  }
  return isUncertain && willing.length === 0 ? null : willing;
}

async function accepts(
  resolver: Means["resolver"],
  { host, domain }: { host: string; domain: string },
): Promise<boolean | null> {
  const answer = await resolver.txt(`${domain}._report._dmarc.${host}`);
  if (answer.kind === "failed") return null;
  return answer.kind === "found" && answer.records.some(looksLikeDmarc);
}

const organizationOf = (domain: string) => getDomain(domain, { allowPrivateDomains: true });

const isSameOrganization = (one: string, other: string): boolean =>
  one === other || (organizationOf(one) !== null && organizationOf(one) === organizationOf(other));
