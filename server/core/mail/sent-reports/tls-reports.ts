import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { type CachedPolicy, loadPolicy } from "#server/core/sending/mta-sts/policies.ts";
import {
  readSessionCounts,
  type SessionCount,
  sessionDays,
} from "#server/core/sending/transport-security/tls-sessions.ts";
import type { CountedDay } from "#server/core/shared/daily-counts.ts";
import type { Db } from "#server/db/client.ts";
import { OutgoingFailure } from "#server/gateways/outgoing-http.ts";

import {
  type Means,
  periodOf,
  queueReport,
  readReportAddresses,
  reportDays,
  reportIdOf,
  type ReportOptions,
  splitUris,
} from "./sent-reports.ts";

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
      url,
      method: "POST",
      body,
      headers: { "content-type": "application/tlsrpt+gzip" },
      timeoutMs: POST_TIMEOUT_MS,
      answerBytesMax: POST_ANSWER_BYTES_MAX,
    });
    return status >= 200 && status < 300;
  } catch (error) {
    if (error instanceof OutgoingFailure) return false;
    throw error;
  }
}

const TYPES = {
  opportunistic: "no-policy-found",
  "mta-sts": "sts",
  "mta-sts-testing": "sts",
  dane: "tlsa",
} as const;

type Facts = {
  day: string;
  domain: string;
  /** The hostname. */
  organization: string;
  reportId: string;
  policy: Pick<CachedPolicy, "mode" | "mx" | "maxAgeSeconds"> | null;
};

/** Writes a TLS report (RFC 8460, 4.4). */
function tlsReport(counts: SessionCount[], facts: Facts): Buffer {
  const { day, organization, reportId } = facts;
  const { begin, end } = periodOf(day);
  const report = {
    "organization-name": organization,
    "date-range": {
      "start-datetime": isoSeconds(begin),
      "end-datetime": isoSeconds(end),
    },
    "contact-info": `postmaster@${organization}`,
    "report-id": reportId,
    policies: groupByPolicy(counts).map((group) => policyOf(group, facts)),
  };
  return Buffer.from(JSON.stringify(report));
}

/** TLSA records are a policy of each mail server (RFC 8460, 1.1); other policies are of the domain. */
function groupByPolicy(counts: SessionCount[]): SessionCount[][] {
  const keyOf = ({ policy, host }: SessionCount) =>
    TYPES[policy] + (policy === "dane" ? ` ${host}` : "");
  const groups = Object.groupBy(counts, keyOf);
  return Object.keys(groups)
    .sort()
    .map((key) => groups[key]!);
}

function policyOf(counts: SessionCount[], facts: Facts) {
  const failures = counts.filter(({ failure }) => failure !== "");
  const successes = counts.filter(({ failure }) => failure === "");
  return {
    policy: describePolicy(counts, facts),
    summary: {
      "total-successful-session-count": sum(successes),
      "total-failure-session-count": sum(failures),
    },
    ...(failures.length > 0 && {
      "failure-details": failures.map(({ failure, host, sendingIp, receivingIp, count }) => ({
        "result-type": failure,
        ...(sendingIp !== "" && { "sending-mta-ip": sendingIp }),
        "receiving-mx-hostname": host,
        ...(receivingIp !== "" && { "receiving-ip": receivingIp }),
        "failed-session-count": count,
      })),
    }),
  };
}

function describePolicy([first, ...others]: SessionCount[], { domain, policy }: Facts) {
  const type = TYPES[first!.policy];
  const named = { "policy-type": type, "policy-domain": domain };
  if (type === "sts" && policy)
    return { ...named, "policy-string": policyLines(policy), "mx-host": policy.mx };
  const records = [first!, ...others].map((count) => count.records).find((lines) => lines !== "");
  return records === undefined
    ? named
    : { ...named, "policy-string": records.split("\n"), "policy-domain": baseOf(records) };
}

/** `mx.example.com` of `_25._tcp.mx.example.com. IN TLSA …`. */
const baseOf = (records: string) => /^_\d+\._tcp\.(\S+)\. /.exec(records)![1]!;

const policyLines = ({ mode, mx, maxAgeSeconds }: NonNullable<Facts["policy"]>) => [
  "version: STSv1",
  `mode: ${mode}`,
  ...mx.map((pattern) => `mx: ${pattern}`),
  `max_age: ${maxAgeSeconds}`,
];

const sum = (counts: SessionCount[]) => counts.reduce((total, { count }) => total + count, 0);

const isoSeconds = (seconds: number) =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
