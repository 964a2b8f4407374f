import type { DkimKey, Domain, DomainRecordKind } from "#drizzle/schema/index.ts";

import { returnPathName } from "./return-path.ts";

/** Name and type of a domain's record. */
export type RecordPlace = { record: DomainRecordKind; name: string; type: "TXT" | "MX" };

type Named = Pick<Domain, "name">;

export function ownershipPlace(domain: Named): RecordPlace {
  return { record: "ownership", name: `_svc-verify.${domain.name}`, type: "TXT" };
}

/**
 * The records of a domain with verified ownership, in display order. The DKIM selector is missing until the
 * key exists.
 */
export function recordPlaces(
  { name }: Named,
  dkimKey: Pick<DkimKey, "selector"> | null,
): RecordPlace[] {
  const returnPath = returnPathName(name);
  const dkim = dkimKey ? `${dkimKey.selector}._domainkey.${name}` : `_domainkey.${name}`;
  return [
    { record: "spf", name, type: "TXT" },
    { record: "dkim", name: dkim, type: "TXT" },
    { record: "dmarc", name: `_dmarc.${name}`, type: "TXT" },
    { record: "mx", name, type: "MX" },
    { record: "return_path_mx", name: returnPath, type: "MX" },
    { record: "return_path_spf", name: returnPath, type: "TXT" },
    { record: "mta_sts", name: `_mta-sts.${name}`, type: "TXT" },
    { record: "tls_rpt", name: `_smtp._tls.${name}`, type: "TXT" },
  ];
}
