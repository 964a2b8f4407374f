import type { Domain, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-record.ts";
import { mergeSpf } from "#server/core/domains/spf/merge-spf.ts";
import { isSpf } from "#server/core/domains/spf/read-spf.ts";

import { relevantFindings } from "./evaluate-findings.ts";
import { isDkimRecord, type PublishedKeys } from "./dkim-records.ts";
import { mergeDmarc } from "./internal/merge-dmarc.ts";
import { isHostRecord, ownershipPlace, recordPlaces, type RecordPlace } from "./record-place.ts";
import { joinTxtStrings } from "./tag-list.ts";

/** A DNS record for the domain's owner to publish. */
export type DomainRecord = RecordPlace & {
  /** The host for an MX or CNAME record. Empty until the DKIM key exists. */
  value: string;
  /** MX only. */
  priority?: number;
  /** Found with the right content at the last check. */
  isVerified: boolean;
  /** Required for sending. */
  isRequired: boolean;
};

/** The data that the records are derived from. */
export type RecordSources = {
  /** Empty before they are created. */
  dkimKeys: PublishedKeys;
  /** Findings of the last check, in any order. */
  findings: Pick<DomainFinding, "record" | "isVerified" | "answers">[];
  /** The mail hostname. */
  hostname: string;
  /** The `id` of the MTA-STS policy that is served. */
  mtaStsId: string;
};

const REQUIRED: DomainRecordKind[] = ["ownership", "spf", "dkim"];

/** The address for reports about all domains. */
export const reportAddress = (hostname: string) => `reports@${hostname}`;

/** The text that proves ownership. */
export const ownershipValue = ({ ownershipToken }: Pick<Domain, "ownershipToken">) =>
  `svc-verify=${ownershipToken}`;

/**
 * The records to publish for a domain, in display order: the ownership record until ownership is verified, SPF, DKIM,
 * DMARC, MX and the optional ones: tracking host, return path, MTA-STS and TLS-RPT. Existing SPF and DMARC content is
 * kept (`mergeSpf`, `mergeDmarc`).
 */
export function domainRecords(
  domain: Pick<Domain, "name" | "ownershipToken" | "ownershipProvenAt" | "trackingSubdomain">,
  sources: RecordSources,
): DomainRecord[] {
  const proof = domain.ownershipProvenAt ? [] : [ownershipPlace(domain)];
  return [...proof, ...recordPlaces(domain, sources.dkimKeys)].map((place) => ({
    ...place,
    value: valueOf(place.record, domain, sources),
    ...(place.type === "MX" && { priority: 10 }),
    isVerified: sources.findings.some(
      ({ record, isVerified }) => record === place.record && isVerified,
    ),
    isRequired: REQUIRED.includes(place.record),
  }));
}

function valueOf(
  record: DomainRecordKind,
  domain: Pick<Domain, "ownershipToken">,
  { dkimKeys, findings, hostname, mtaStsId }: RecordSources,
): string {
  if (isDkimRecord(record)) return keyValue(dkimKeys[record]);
  if (isHostRecord(record)) return hostname;
  const reports = reportAddress(hostname);
  switch (record) {
    case "ownership":
      return ownershipValue(domain);
    case "spf":
    case "return_path_spf":
      return mergeSpf(existingSpf(findings, record), hostname);
    case "dmarc":
      return mergeDmarc(textsAt(findings, "dmarc"), reports);
    case "mta_sts":
      return `v=STSv1; id=${mtaStsId}`;
    case "tls_rpt":
      return `v=TLSRPTv1; rua=mailto:${reports}`;
  }
}

const keyValue = (key: PublishedKeys["dkim"]) => (key ? dkimRecord(key) : "");

/** If servers disagree, uses the first that has such a record. */
function textsAt(findings: RecordSources["findings"], kind: DomainRecordKind): string[] {
  const answers = findings.find(({ record }) => record === kind)?.answers ?? [];
  const texts = relevantFindings(answers).map(({ records }) => records.map(joinTxtStrings));
  return texts.find((found) => found.length > 0) ?? [];
}

function existingSpf(findings: RecordSources["findings"], kind: DomainRecordKind) {
  const answers = findings.find(({ record }) => record === kind)?.answers ?? [];
  const found = relevantFindings(answers).filter(({ records }) =>
    records.map(joinTxtStrings).some(isSpf),
  );
  const best = found.find(({ spf }) => spf?.authorizes === "yes") ?? found[0];
  return { texts: best?.records.map(joinTxtStrings) ?? [], reading: best?.spf ?? null };
}
