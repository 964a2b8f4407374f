import { z } from "zod";

import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ListedDomain } from "#server/core/domains/domains/domains.ts";

export const DomainStatus = z.enum(["not_started", "pending", "partially_verified", "verified"]);

export const RecordKind = z.enum([
  ...(["ownership", "spf", "dkim", "dmarc", "mx", "mta_sts", "tls_rpt"] as const),
  ...(["tracking", "return_path_mx", "return_path_spf"] as const),
  ...(["dkim_ed25519", "dkim_next", "dkim_ed25519_next"] as const),
]);

/** Fields shared by the list and the detail page. */
export const DomainHead = z.object({
  id: z.uuid(),
  name: z.string(),
  status: DomainStatus,
  is_ownership_verified: z.boolean(),
  receives: z.boolean().describe("The last check found its MX record"),
  checked_at: z.string().nullable(),
  created_at: z.string(),
});

export const DomainRow = DomainHead.extend({
  missing: z
    .array(RecordKind)
    .describe("Records that the last check didn't find, required ones first"),
});

export function domainHeadFields(domain: ListedDomain): z.input<typeof DomainHead> {
  return {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    is_ownership_verified: domain.ownershipProvenAt !== null,
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
  const isOwnership = (kind: DomainRecordKind) => kind === "ownership";
  return {
    ...domainHeadFields(domain),
    missing: missing.filter((kind) => isOwnership(kind) === (ownershipProvenAt === null)),
  };
}
