import type { DkimKey, Domain, DomainRecordKind } from "#drizzle/schema/index.ts";

/** Where a record of a domain stands, and which type it has. */
export type RecordPlace = { record: DomainRecordKind; name: string; type: "TXT" | "MX" };

type Named = Pick<Domain, "name">;

/** Where the proof of ownership stands. */
export function ownershipPlace(domain: Named): RecordPlace {
  return { record: "ownership", name: `_svc-verify.${domain.name}`, type: "TXT" };
}

/**
 * Where the records of a domain with proven ownership stand, in the order in which they are shown.
 * While its key is not made yet the selector of DKIM is missing.
 */
export function recordPlaces(
  { name }: Named,
  dkimKey: Pick<DkimKey, "selector"> | null,
): RecordPlace[] {
  const dkim = dkimKey ? `${dkimKey.selector}._domainkey.${name}` : `_domainkey.${name}`;
  return [
    { record: "spf", name, type: "TXT" },
    { record: "dkim", name: dkim, type: "TXT" },
    { record: "dmarc", name: `_dmarc.${name}`, type: "TXT" },
    { record: "mx", name, type: "MX" },
    { record: "mta_sts", name: `_mta-sts.${name}`, type: "TXT" },
    { record: "tls_rpt", name: `_smtp._tls.${name}`, type: "TXT" },
  ];
}
