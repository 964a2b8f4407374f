import { desc, eq } from "drizzle-orm";

import {
  type DkimKey,
  dkimKeys,
  type Domain,
  type DomainFinding,
  domainFindings,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  type DomainRecord,
  domainRecords,
  ownershipValue,
  type RecordSources,
} from "#server/core/domains/records/domain-records.ts";
import type { Expectation } from "#server/core/domains/records/evaluate-record.ts";
import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";

/** A domain with its key and the findings of the last check. */
export type KnownDomain = {
  domain: Domain;
  dkimKey: DkimKey | null;
  findings: DomainFinding[];
};

type Sources = Pick<KnownDomain, "domain" | "dkimKey"> & Pick<RecordSources, "findings">;

/** @throws Refusal `not_found` */
export async function loadDomain(ctx: Context, domainId: string): Promise<KnownDomain> {
  const domain = await requireDomain(ctx, domainId);
  const [dkimKey] = await ctx.db
    .select()
    .from(dkimKeys)
    .where(eq(dkimKeys.domainId, domain.id))
    .orderBy(desc(dkimKeys.createdAt), desc(dkimKeys.id))
    .limit(1);
  const findings = await ctx.db
    .select()
    .from(domainFindings)
    .where(eq(domainFindings.domainId, domain.id));
  return { domain, dkimKey: dkimKey ?? null, findings };
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
  dkimKey,
}: Pick<KnownDomain, "domain" | "dkimKey">): Expectation {
  return {
    hostname: config().hostname,
    ownership: ownershipValue(domain),
    publicKey: dkimKey?.publicKey ?? null,
    mtaStsId: ownMtaStsPolicy().id,
  };
}
