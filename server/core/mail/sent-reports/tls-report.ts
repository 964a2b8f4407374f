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
  const types = [...new Set(counts.map(({ policy }) => TYPES[policy]))].sort();
  const report = {
    "organization-name": organization,
    "date-range": {
      "start-datetime": isoSeconds(begin),
      "end-datetime": isoSeconds(end),
    },
    "contact-info": `postmaster@${organization}`,
    "report-id": reportId,
    policies: types.map((type) =>
      policyOf(
        type,
        counts.filter(({ policy }) => TYPES[policy] === type),
        facts,
      ),
    ),
  };
  return Buffer.from(JSON.stringify(report));
}

function policyOf(type: string, counts: SessionCount[], { domain, policy }: Facts) {
  const failures = counts.filter(({ failure }) => failure !== "");
  const successes = counts.filter(({ failure }) => failure === "");
  return {
    policy: {
      "policy-type": type,
      ...(type === "sts" && policy && { "policy-string": policyLines(policy) }),
      "policy-domain": domain,
      ...(type === "sts" && policy && { "mx-host": policy.mx }),
    },
    summary: {
      "total-successful-session-count": sum(successes),
      "total-failure-session-count": sum(failures),
    },
    ...(failures.length > 0 && {
      "failure-details": failures.map(({ failure, host, count }) => ({
        "result-type": failure,
        "receiving-mx-hostname": host,
        "failed-session-count": count,
      })),
    }),
  };
}

const policyLines = ({ mode, mx, maxAgeSeconds }: NonNullable<Facts["policy"]>) => [
  "version: STSv1",
  `mode: ${mode}`,
  ...mx.map((pattern) => `mx: ${pattern}`),
  `max_age: ${maxAgeSeconds}`,
];

const sum = (counts: SessionCount[]) => counts.reduce((total, { count }) => total + count, 0);

const isoSeconds = (seconds: number) =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
