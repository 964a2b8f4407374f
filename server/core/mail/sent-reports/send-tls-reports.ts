import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { loadPolicy } from "#server/core/sending/mta-sts/load-policy.ts";
import {
  readSessionCounts,
  sessionDays,
} from "#server/core/sending/transport-security/session-counts.ts";
import type { CountedDay } from "#server/core/shared/daily-counts.ts";
import type { Db } from "#server/db/client.ts";
import { OutgoingFailure } from "#server/gateways/outgoing-http.ts";

import { queueReport, reportIdOf } from "./queue-report.ts";
import { type Means, reportDays, type ReportOptions } from "./report-days.ts";
import { readReportAddresses, splitUris } from "./report-uris.ts";
import { tlsReport } from "./tls-report.ts";

const POST_TIMEOUT_MS = 30_000;
const POST_ANSWER_BYTES_MAX = 1024;

const compress = promisify(gzip);

/**
 * Sends the TLS reports (RFC 8460) of past days to the domains that ask for them. What can't be looked up or sent is left
 * for the next run, for two days. Safe to run concurrently: a report has one id.
 */
export const sendTlsReports = (db: Db, options: ReportOptions): Promise<void> =>
  reportDays(db, { setting: "tls_reports", counts: sessionDays, report: reportDomain }, options);

async function reportDomain(
  db: Db,
  counted: CountedDay,
  { resolver, http, reporter }: Means,
): Promise<void> {
  const asked = await resolver.txt(`_smtp._tls.${counted.domain}`);
  if (asked.kind === "failed") return;
  const uris = asked.kind === "found" ? readUris(asked.records) : "";
  const to = readReportAddresses(uris).map(({ address }) => address);
  const urls = splitUris(uris).filter((uri) => /^https:/i.test(uri));
  if (to.length + urls.length === 0) {
    await sessionDays.delete(db, counted);
    return;
  }
  const counts = await readSessionCounts(db, counted);
  if (counts.length === 0) return;
  const reportId = reportIdOf("tls", counted);
  const policy = await loadPolicy(db, counted.domain);
  const facts = { ...counted, organization: reporter.domain, reportId, policy };
  const content = await compress(tlsReport(counts, facts));
  const posted = await Promise.all(urls.map((url) => post(http, url, content)));
  // Some way must work, or the report is tried again.
  if (to.length === 0 && !posted.includes(true)) return;
  await db.transaction(async (tx) => {
    const report = { kind: "tls" as const, ...counted, reportId, content };
    if (to.length > 0) await queueReport(tx, reporter, { report, to });
    await sessionDays.delete(tx, counted);
  });
}

/** The URIs of the TLSRPT record (RFC 8460, 3); "" without one, or with several. */
function readUris(texts: string[]): string {
  const [record, ...others] = texts.filter((text) => /^v=TLSRPTv1[ \t]*;/.test(text));
  if (!record || others.length > 0) return "";
  return /;[ \t]*rua=([^;]*)/.exec(record)?.[1]?.trim() ?? "";
}

async function post(http: ReportOptions["http"], url: string, body: Buffer): Promise<boolean> {
  try {
    const { status } = await http.request({
      ...{ url, method: "POST", body, headers: { "content-type": "application/tlsrpt+gzip" } },
      ...{ timeoutMs: POST_TIMEOUT_MS, answerBytesMax: POST_ANSWER_BYTES_MAX },
    });
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof OutgoingFailure) return false;
    throw error;
  }
}
