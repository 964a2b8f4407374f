import type { Domain, DomainRecordKind } from "#drizzle/schema/index.ts";

import { DKIM_RECORDS, type PublishedKeys } from "./dkim-records.ts";
import { returnPathName } from "./return-path.ts";
import { trackingHost } from "./tracking-host.ts";

/** Name and type of a domain's record. */
export type RecordPlace = { record: DomainRecordKind; name: string; type: "TXT" | "MX" | "CNAME" };

/** Records that name a host; the others are TXT records. */
export const isHostRecord = (
  record: DomainRecordKind,
): record is "mx" | "return_path_mx" | "tracking" =>
  record === "mx" || record === "return_path_mx" || record === "tracking";

type Named = Pick<Domain, "name">;
type Placed = Pick<Domain, "name" | "trackingSubdomain">;

export function ownershipPlace(domain: Named): RecordPlace {
  return { record: "ownership", name: `_svc-verify.${domain.name}`, type: "TXT" };
}

/**
 * The records besides the ownership record, in display order. The DKIM selector is missing until the key exists.
 */
export function recordPlaces(domain: Placed, keys: PublishedKeys): RecordPlace[] {
  const { name } = domain;
  const returnPath = returnPathName(name);
  const tracking = trackingHost(domain);
  return [
    { record: "spf", name, type: "TXT" },
    ...dkimPlaces(name, keys),
    { record: "dmarc", name: `_dmarc.${name}`, type: "TXT" },
    { record: "mx", name, type: "MX" },
    ...(tracking === null
      ? []
      : [{ record: "tracking" as const, name: tracking, type: "CNAME" as const }]),
    { record: "return_path_mx", name: returnPath, type: "MX" },
    { record: "return_path_spf", name: returnPath, type: "TXT" },
    { record: "mta_sts", name: `_mta-sts.${name}`, type: "TXT" },
    { record: "tls_rpt", name: `_smtp._tls.${name}`, type: "TXT" },
  ];
}

function dkimPlaces(domain: string, keys: PublishedKeys): RecordPlace[] {
  return DKIM_RECORDS.flatMap((record) => {
    const selector = keys[record]?.selector;
    if (selector === undefined && record !== "dkim") return [];
    const prefix = selector === undefined ? "" : `${selector}.`;
    return [{ record, name: `${prefix}_domainkey.${domain}`, type: "TXT" as const }];
  });
}
