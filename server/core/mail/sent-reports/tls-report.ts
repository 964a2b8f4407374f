import type { CachedPolicy } from "#server/core/sending/mta-sts/load-policy.ts";
import type { SessionCount } from "#server/core/sending/transport-security/session-counts.ts";

import { periodOf } from "./queue-report.ts";

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
export function tlsReport(counts: SessionCount[], facts: Facts): Buffer {
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
