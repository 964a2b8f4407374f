import type { Domain, DomainFinding } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import { loadDomain, listDomainRecords } from "#server/core/domains/dns-checks/load-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";

/** A domain with what its owner is to publish, and what the last check found. */
export type DomainDetails = {
  domain: Domain;
  /** Before the proof of ownership that one record, after it all the others. */
  records: DomainRecord[];
  findings: DomainFinding[];
  /** Its mail comes here: the MX record was found at the last check. */
  receives: boolean;
};

/**
 * One of the company's domains.
 *
 * @throws Refusal `not_found`
 */
export async function getDomain(ctx: Context, id: string): Promise<DomainDetails> {
  const known = await loadDomain(ctx, id);
  const { domain, findings } = known;
  const receives =
    domain.ownershipProvenAt !== null &&
    findings.some(({ record, isVerified }) => record === "mx" && isVerified);
  return { domain, records: listDomainRecords(known), findings, receives };
}
