import { z } from "zod";

import { readDomain } from "#server/core/shared/addresses/parse-address.ts";

import { plainText } from "#server/core/shared/text.ts";
import { parseJson } from "#server/universal/parse-json.ts";

import { readPeriod, type ReportPeriod } from "./unpack.ts";

/** The part of a TLS report about one domain. */
export type TlsReading = ReportPeriod & {
  orgName: string;
  reportId: string;
  domain: string;
  successful: number;
  failed: number;
  failures: TlsFailure[];
};

type TlsFailure = {
  type: string;
  sessions: number;
  receivingMx?: string;
  reason?: string;
  policy: string;
};

const JSON_BYTES_MAX = 5 * 1024 * 1024;
const POLICIES_MAX = 200;
const FAILURES_MAX = 200;
const SESSIONS_MAX = 2_000_000_000;

const text = (lengthMax?: number) =>
  z
    .string()
    .nullish()
    .transform((text) => plainText(text ?? "", lengthMax));
const sessions = z.coerce.number().int().min(0).max(SESSIONS_MAX).catch(0);

const Failure = z.object({
  "result-type": text(80),
  "failed-session-count": sessions,
  "receiving-mx-hostname": text(),
  "failure-reason-code": text(),
  "additional-information": text(),
});

/** RFC 8460, 4.4. */
const Report = z.object({
  "organization-name": text().pipe(z.string().min(1)),
  "report-id": text().pipe(z.string().min(1)),
  "date-range": z.object({
    "start-datetime": z.string().max(40),
    "end-datetime": z.string().max(40),
  }),
  policies: z
    .array(
      z.object({
        policy: z.object({ "policy-type": text(40), "policy-domain": z.string().max(255) }),
        summary: z.object({
          "total-successful-session-count": sessions,
          "total-failure-session-count": sessions,
        }),
        "failure-details": z.array(Failure).nullish(),
      }),
    )
    .max(POLICIES_MAX),
});

/**
 * Parses a TLS report, with all policies of a domain combined.
 *
 * @throws Error if the report is invalid
 */
export function readTls(json: Buffer, now: Date): TlsReading[] {
  if (json.length > JSON_BYTES_MAX) throw new Error("The TLS report is too large");
  const parsed = Report.safeParse(parseJson(json.toString("utf8").replace(/^\ufeff/, "")));
  if (!parsed.success) throw new Error("Not a TLS report");
  const { "date-range": range, policies } = parsed.data;
  const [start, end] = [Date.parse(range["start-datetime"]), Date.parse(range["end-datetime"])];
  const period = readPeriod(start, end, now);
  if (!period) throw new Error("The TLS report's period is implausible");
  const byDomain = new Map<string, TlsReading>();
  for (const found of policies) {
    const domain = readDomain(found.policy["policy-domain"].toLowerCase().replace(/\.$/, ""));
    if (!domain) continue;
    const reading = byDomain.get(domain) ?? {
      ...period,
      domain,
      successful: 0,
      failed: 0,
      failures: [],
      orgName: parsed.data["organization-name"],
      reportId: parsed.data["report-id"],
    };
    byDomain.set(domain, addPolicy(reading, found));
  }
  return [...byDomain.values()];
}

type FoundPolicy = z.output<typeof Report>["policies"][number];

function addPolicy(reading: TlsReading, { policy, summary, ...found }: FoundPolicy): TlsReading {
  const sum = (count: number, more: number) => Math.min(count + more, SESSIONS_MAX);
  const failures = (found["failure-details"] ?? []).map((failure): TlsFailure => {
    const receivingMx = failure["receiving-mx-hostname"];
    const reason = failure["failure-reason-code"] || failure["additional-information"];
    return {
      type: failure["result-type"],
      sessions: failure["failed-session-count"],
      ...(receivingMx !== "" && { receivingMx }),
      ...(reason !== "" && { reason }),
      policy: policy["policy-type"],
    };
  });
  return {
    ...reading,
    successful: sum(reading.successful, summary["total-successful-session-count"]),
    failed: sum(reading.failed, summary["total-failure-session-count"]),
    failures: [...reading.failures, ...failures].slice(0, FAILURES_MAX),
  };
}
