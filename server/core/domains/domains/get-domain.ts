import type { DkimKey, Domain, DomainFinding } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";

import { findTrackingHost } from "#server/core/platform/certificates/tracking-hosts.ts";
import { loadDomain, listDomainRecords } from "#server/core/domains/dns-checks/load-domain.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { type ReturnPath, returnPathInUse } from "#server/core/domains/records/return-path.ts";

/** A domain with its records and the results of the last check. */
export type DomainDetails = {
  domain: Domain;
  /** Only the ownership record until ownership is verified. */
  records: DomainRecord[];
  findings: DomainFinding[];
  /** The MX record pointed here at the last check. */
  receives: boolean;
  returnPath: ReturnPath;
  /** Whose records must stay published for a while, newest last. */
  retiredKeys: DkimKey[];
  isRotating: boolean;
  /** Links of new emails use the domain's tracking host. */
  isTrackingHostInUse: boolean;
};

/** @throws Refusal `not_found` */
export async function getDomain(ctx: Context, id: string): Promise<DomainDetails> {
  const known = await loadDomain(ctx, id);
  const { domain, findings } = known;
  const receives =
    domain.ownershipProvenAt !== null &&
    findings.some(({ record, isVerified }) => record === "mx" && isVerified);
  const returnPath = returnPathInUse(domain, config());
  const { dkim_next: next, dkim_ed25519_next: other } = known.dkimKeys;
  return {
    ...{ domain, records: listDomainRecords(known), findings, receives, returnPath },
    ...{ retiredKeys: known.retiredKeys, isRotating: Boolean(next ?? other) },
    isTrackingHostInUse: (await findTrackingHost(ctx.db, domain.id, config())) !== null,
  };
}
