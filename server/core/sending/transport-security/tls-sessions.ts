import { sql } from "drizzle-orm";

import { tlsSessionCounts } from "#drizzle/schema/index.ts";
import type { TlsOutcome } from "#mail/smtp/tls.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { type CountedDay, dailyCounts } from "#server/core/shared/daily-counts.ts";
import type { Db } from "#server/db/client.ts";

/** A connection, as it's counted. */
export type SessionRow = {
  /** In UTC. */
  day: string;
  domain: string;
  policy: "opportunistic" | "mta-sts" | "mta-sts-testing" | "dane";
  /** The mail server, for failures and DANE; otherwise "". */
  host: string;
  /** A result type of RFC 8460, 4.3, or "" for a success. */
  failure: string;
  /** Addresses of a failed connection, where known; otherwise "". */
  sendingIp: string;
  receivingIp: string;
  /** The host's TLSA records in lines, for DANE; otherwise "". */
  records: string;
};

export type SessionCount = SessionRow & { count: number };

/**
 * How a connection counts in a TLS report: without a policy, any TLS is a success. Null for the operator's own smarthost.
 */
export function toCounted({
  policy,
  result,
  encryption,
}: TlsOutcome): Pick<SessionRow, "policy" | "failure"> | null {
  if (policy === "required") return null;
  const isGood = result === "valid" || result === "unchecked" || policy === "opportunistic";
  return { policy, failure: encryption && isGood ? "" : result };
}

/** Adds to the counts of a day, unless TLS reports are off. */
export async function addSessionCounts(db: Db, counts: SessionCount[]): Promise<void> {
  if ((await currentSettings(db)).tls_reports === "off") return;
  // In key order, so that concurrent workers don't deadlock.
  await db.execute(sql`
    insert into tls_session_counts as known
      (day, domain, policy, host, failure, sending_ip, receiving_ip, records, sessions)
    select day, domain, policy, host, failure, "sendingIp", "receivingIp", max(records), sum(count)
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
      as t(day date, domain text, policy text, host text, failure text, "sendingIp" text,
        "receivingIp" text, records text, count int)
    group by day, domain, policy, host, failure, "sendingIp", "receivingIp"
    order by day, domain, policy, host, failure, "sendingIp", "receivingIp"
    on conflict (day, domain, policy, host, failure, sending_ip, receiving_ip)
      do update set sessions = known.sessions + excluded.sessions, records = excluded.records`);
}

/** The domains with connections that aren't reported yet. */
export const sessionDays = dailyCounts(tlsSessionCounts);

/** The counts of a domain and day. */
export function readSessionCounts(db: Db, { day, domain }: CountedDay): Promise<SessionCount[]> {
  return db.execute<SessionCount>(sql`
    select day::text as day, domain, policy, host, failure, sending_ip as "sendingIp",
      receiving_ip as "receivingIp", records, sessions as count
    from tls_session_counts where day = ${day}::date and domain = ${domain}
    order by policy, host, failure, sending_ip, receiving_ip`);
}

const REQUIREMENTS: Record<string, string> = {
  "mta-sts": "MTA-STS",
  dane: "DANE",
  required: "the smarthost’s settings",
};

const FAILURES: Record<string, string> = {
  "starttls-not-supported": "the server doesn’t offer STARTTLS",
  "certificate-host-mismatch": "the certificate is for another host",
  "certificate-expired": "the certificate has expired",
  "certificate-not-trusted": "the certificate isn’t from a trusted authority",
  "validation-failure": "the certificate or the host couldn’t be validated",
  "tlsa-invalid": "the certificate doesn’t match the TLSA records",
  "dnssec-invalid": "the TLSA records couldn’t be looked up",
};

/** Describes a stored outcome in a sentence. */
export function explainTls(stored: string): string {
  const [policy = "", result = "", version, cipher] = stored.split(" ");
  const requirement = REQUIREMENTS[policy];
  const by = requirement ? ` (required by ${requirement})` : "";
  const note = policy === "mta-sts-testing" ? " The MTA-STS policy is in testing mode." : "";
  const failure = FAILURES[result];
  if (!version)
    return `${requirement ? "Not sent without TLS" : "Not encrypted"}: ${failure}${by}.${note}`;
  const encryption = `Encrypted with ${version.replace("TLSv", "TLS ")}, ${cipher}`;
  if (failure) return `${encryption}, but ${failure}.${note}`;
  return `${encryption}${result === "valid" ? ", certificate valid" : ""}${by}.${note}`;
}
