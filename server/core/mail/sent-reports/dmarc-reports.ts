import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { sql } from "drizzle-orm";
import { getDomain } from "tldts";

import { dmarcCounts } from "#drizzle/schema/index.ts";
import { looksLikeDmarc } from "#server/core/domains/records/txt-records.ts";
import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { type CountedDay, dailyCounts } from "#server/core/shared/daily-counts.ts";
import { escapeMarkup } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import {
  type Means,
  periodOf,
  queueReport,
  readReportAddresses,
  reportDays,
  reportIdOf,
  type ReportOptions,
} from "./sent-reports.ts";

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

type Facts = {
  day: string;
  domain: string;
  /** The hostname. */
  organization: string;
  reportId: string;
  /** The domain's DMARC record. */
  record: string;
};

/** Writes a DMARC aggregate report (RFC 7489, appendix C). */
function dmarcReport(counts: DmarcCount[], facts: Facts): Buffer {
  const { day, domain, organization, reportId, record } = facts;
  const { begin, end } = periodOf(day);
  const p = tagOf(record, "p") ?? "none";
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n${element("feedback", [
      element("version", "1.0"),
      element("report_metadata", [
        element("org_name", organization),
        element("email", `postmaster@${organization}`),
        element("report_id", reportId),
        element("date_range", [element("begin", `${begin}`), element("end", `${end}`)]),
      ]),
      element("policy_published", [
        element("domain", domain),
        element("adkim", tagOf(record, "adkim") === "s" ? "s" : "r"),
        element("aspf", tagOf(record, "aspf") === "s" ? "s" : "r"),
        element("p", p),
        element("sp", tagOf(record, "sp") ?? p),
        element("pct", tagOf(record, "pct") ?? "100"),
      ]),
      ...counts.map(rowOf),
    ])}`,
  );
}

function rowOf({ sourceIp, count, result }: DmarcCount): string {
  const { headerFrom, disposition, dkim, spf, spfResult, signatures } = result;
  return element("record", [
    element("row", [
      element("source_ip", sourceIp),
      element("count", `${count}`),
      element("policy_evaluated", [
        element("disposition", disposition),
        element("dkim", dkim),
        element("spf", spf),
      ]),
    ]),
    element("identifiers", [
      ...(spfResult?.scope === "mfrom" ? [element("envelope_from", spfResult.domain)] : []),
      element("header_from", headerFrom),
    ]),
    element("auth_results", [
      ...signatures.map((one) =>
        element("dkim", [
          element("domain", one.domain),
          element("selector", one.selector),
          element("result", one.result),
        ]),
      ),
      element("spf", [
        element("domain", spfResult?.domain ?? headerFrom),
        element("scope", spfResult?.scope ?? "mfrom"),
        element("result", spfResult?.result ?? "none"),
      ]),
    ]),
  ]);
}

const tagOf = (record: string, name: string): string | undefined =>
  new RegExp(`;\\s*${name}\\s*=\\s*([a-z0-9]+)`, "i").exec(record)?.[1]?.toLowerCase();

const element = (name: string, content: string | string[]): string =>
  `<${name}>${Array.isArray(content) ? content.join("") : escapeMarkup(content)}</${name}>\n`;

/** What a row of a report says about messages, besides their source and number. */
export type ReportedResult = {
  headerFrom: string;
  disposition: "none" | "quarantine" | "reject";
  dkim: "pass" | "fail";
  spf: "pass" | "fail";
  /** Results regardless of alignment. */
  spfResult: { domain: string; scope: "mfrom" | "helo"; result: string } | null;
  signatures: { domain: string; selector: string; result: string }[];
};

/** A message, as it's counted. */
export type DmarcRow = {
  /** In UTC. */
  day: string;
  /** The domain with the DMARC record. */
  domain: string;
  sourceIp: string;
  /** A `DmarcResult` as JSON. */
  result: string;
};

type DmarcCount = Pick<DmarcRow, "sourceIp"> & { result: ReportedResult; count: number };

const SIGNATURES_MAX = 3;

/** Limit for all domains together, against floods of forged senders. */
const ROWS_PER_DAY_MAX = 200_000;

const ROWS_PER_REPORT_MAX = 20_000;

/** How a message counts in a DMARC report; null if its domain doesn't ask for one. */
export function toDmarcRow(
  { spf, dkim, dmarc }: Pick<Verdict, "spf" | "dkim" | "dmarc">,
  {
    clientAddress,
    disposition,
  }: { clientAddress: string; disposition: ReportedResult["disposition"] },
): DmarcRow | null {
  const { reporting } = dmarc;
  if (!reporting || dmarc.domain === null) return null;
  const result: ReportedResult = {
    headerFrom: dmarc.domain,
    disposition,
    dkim: reporting.isDkimAligned ? "pass" : "fail",
    spf: reporting.isSpfAligned ? "pass" : "fail",
    spfResult:
      spf.domain === null
        ? null
        : {
            domain: spf.domain,
            scope: spf.identity === "helo" ? "helo" : "mfrom",
            result: spf.result,
          },
    signatures: dkim.signatures
      .slice(0, SIGNATURES_MAX)
      .map(({ domain, selector, result: verified }) => ({ domain, selector, result: verified })),
  };
  return {
    day: new Date().toISOString().slice(0, 10),
    domain: reporting.domain,
    sourceIp: clientAddress,
    result: JSON.stringify(result),
  };
}

/** Adds to the counts of a day, unless DMARC reports are off. */
export async function addDmarcCounts(
  db: Db,
  counts: (DmarcRow & { count: number })[],
): Promise<void> {
  if ((await currentSettings(db)).dmarc_reports === "off") return;
  const [firstDay = ""] = counts.map(({ day }) => day).sort();
  // In key order, so that concurrent processes don't deadlock.
  await db.execute(sql`
    insert into dmarc_counts as known (day, domain, source_ip, result, messages)
    select day, domain, "sourceIp", result, count
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
      as t(day date, domain text, "sourceIp" text, result text, count int)
    where (select count(*) from dmarc_counts where day >= ${firstDay}::date) < ${ROWS_PER_DAY_MAX}
    order by day, domain, "sourceIp", result
    on conflict (day, domain, source_ip, result)
      do update set messages = known.messages + excluded.messages`);
}

/** The domains with messages that aren't reported yet. */
const dmarcDays = dailyCounts(dmarcCounts);

/** The counts of a domain and day, the most messages first. */
async function readDmarcCounts(db: Db, { day, domain }: CountedDay): Promise<DmarcCount[]> {
  const rows = await db.execute<{ sourceIp: string; result: string; count: number }>(sql`
    select source_ip as "sourceIp", result, messages as count from dmarc_counts
    where day = ${day}::date and domain = ${domain}
    order by messages desc, source_ip, result limit ${ROWS_PER_REPORT_MAX}`);
  return rows.map((row) => ({ ...row, result: JSON.parse(row.result) as ReportedResult }));
}
