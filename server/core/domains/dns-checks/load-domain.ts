import { asc, eq } from "drizzle-orm";

import {
  type DkimKey,
  dkimKeys,
  type Domain,
  type DomainFinding,
  domainFindings,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import { type PublishedKeys, publishedKeys } from "#server/core/domains/records/dkim-records.ts";
import {
  type DomainRecord,
  domainRecords,
  ownershipValue,
  type RecordSources,
} from "#server/core/domains/records/domain-records.ts";
import type { Expectation } from "#server/core/domains/records/evaluate-record.ts";
import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";

/** A domain with its keys and the findings of the last check. */
export type KnownDomain = {
  domain: Domain;
  dkimKeys: PublishedKeys<DkimKey>;
  /** Newest last: records to keep until the signatures made with them have expired. */
  retiredKeys: DkimKey[];
  findings: DomainFinding[];
};

type Sources = Pick<KnownDomain, "domain" | "dkimKeys"> & Pick<RecordSources, "findings">;

/** @throws Refusal `not_found` */
export async function loadDomain(ctx: Context, domainId: string): Promise<KnownDomain> {
  const domain = await requireDomain(ctx, domainId);
  const keys = await ctx.db
    .select()
    .from(dkimKeys)
    .where(eq(dkimKeys.domainId, domain.id))
    .orderBy(asc(dkimKeys.retiredAt), asc(dkimKeys.id));
  const findings = await ctx.db
    .select()
    .from(domainFindings)
    .where(eq(domainFindings.domainId, domain.id));
  const retiredKeys = keys.filter(({ state }) => state === "retired");
  return { domain, dkimKeys: publishedKeys(keys), retiredKeys, findings };
}

/** The records to publish (`domainRecords`). */
export function listDomainRecords({ domain, ...known }: Sources): DomainRecord[] {
  return domainRecords(domain, {
    ...known,
    hostname: config().hostname,
    mtaStsId: ownMtaStsPolicy().id,
  });
}

export function toExpectation({
  domain,
  dkimKeys,
}: Pick<KnownDomain, "domain" | "dkimKeys">): Expectation {
  return {
    hostname: config().hostname,
    ownership: ownershipValue(domain),
    dkimKeys,
    mtaStsId: ownMtaStsPolicy().id,
  };
}
