import type { DkimKey, Domain, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { isSpf, mergeSpf } from "#server/core/domains/spf/spf.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";

import { relevantFindings } from "./evaluate-findings.ts";
import { returnPathName } from "./return-path.ts";
import { joinTxtStrings, mergeDmarc } from "./txt-records.ts";

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

/** The records of a domain's keys: the active one of each algorithm, and those that will replace them. */
type DkimRecordKind = Extract<DomainRecordKind, `dkim${string}`>;

/** The keys that are published, by record. */
export type PublishedKeys<Key = Pick<DkimKey, "selector" | "algorithm" | "publicKey">> = {
  [Kind in DkimRecordKind]?: Key;
};

const KINDS = {
  rsa: { active: "dkim", next: "dkim_next" },
  ed25519: { active: "dkim_ed25519", next: "dkim_ed25519_next" },
} as const;

/** In display order. */
const DKIM_RECORDS: DkimRecordKind[] = ["dkim", "dkim_ed25519", "dkim_next", "dkim_ed25519_next"];

export const isDkimRecord = (kind: DomainRecordKind): kind is DkimRecordKind =>
  kind.startsWith("dkim");

/** The record of the active key that a next key replaces. */
export const replacedRecord = (kind: DkimRecordKind) =>
  kind.startsWith("dkim_ed25519") ? ("dkim_ed25519" as const) : ("dkim" as const);

/** Sorts keys by their records; retired keys have none. */
export function publishedKeys(keys: DkimKey[]): PublishedKeys<DkimKey> {
  const published: PublishedKeys<DkimKey> = {};
  for (const key of keys)
    if (key.state !== "retired") published[KINDS[key.algorithm][key.state]] = key;
  return published;
}

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

type Tracked = Pick<Domain, "name" | "trackingSubdomain">;

/** The host of a domain's tracking and unsubscribe links; null if they use this server's own. */
export const trackingHost = ({ name, trackingSubdomain }: Tracked): string | null =>
  trackingSubdomain === null ? null : `${trackingSubdomain}.${name}`;
