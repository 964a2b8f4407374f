import { z } from "zod";

import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ListedDomain } from "#server/core/domains/domains/list-domains.ts";

export const DomainStatus = z.enum(["not_started", "pending", "partially_verified", "verified"]);

export const RecordKind = z.enum(["ownership", "spf", "dkim", "dmarc", "mx", "mta_sts", "tls_rpt"]);

/** What the list and the page of a domain both show. */
export const DomainHead = z.object({
  id: z.uuid(),
  name: z.string(),
  status: DomainStatus,
  is_proven: z.boolean().describe("Its ownership is proven"),
  receives: z.boolean().describe("Its MX record was found at the last check"),
  checked_at: z.string().nullable(),
  created_at: z.string(),
});

/** A domain in the list. */
export const DomainRow = DomainHead.extend({
  missing: z.array(RecordKind).describe("What the last check did not find, needed ones first"),
});

export function domainHead(domain: ListedDomain): z.input<typeof DomainHead> {
  return {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    is_proven: domain.ownershipProvenAt !== null,
    receives: domain.receives,
    checked_at: domain.checkedAt === null ? null : consoleTimestamp(domain.checkedAt),
    created_at: consoleTimestamp(domain.createdAt),
  };
}

export function domainRow(
  domain: ListedDomain,
  missing: DomainRecordKind[],
): z.input<typeof DomainRow> {
  const { ownershipProvenAt } = domain;
  const isProof = (kind: DomainRecordKind) => kind === "ownership";
  return {
    ...domainHead(domain),
    missing: missing.filter((kind) => isProof(kind) === (ownershipProvenAt === null)),
  };
}
