import type {
  DkimKey,
  DnsFinding,
  Domain,
  DomainFinding,
  DomainRecordKind,
} from "#drizzle/schema/index.ts";
import { isSpf, mergeSpf, readSpf } from "#server/core/domains/spf/spf.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";

import {
  evaluateFindings,
  type Reading,
  type RecordPresence,
  relevantFindings,
} from "./evaluate-findings.ts";
import { isPreferredHost, normalizeHost, returnPathName } from "./return-path.ts";
import {
  joinTxtStrings,
  looksLikeDmarc,
  mergeDmarc,
  readDkim,
  readDmarc,
  readTags,
} from "./txt-records.ts";

/** Name and type of a domain's record. */
export type RecordPlace = { record: DomainRecordKind; name: string; type: "TXT" | "MX" | "CNAME" };

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

/** The values that records must have. */
export type Expectation = Pick<RecordSources, "dkimKeys" | "hostname" | "mtaStsId"> & {
  /** `svc-verify=…` */
  ownership: string;
};

type Placed = Pick<Domain, "name" | "trackingSubdomain">;

type RecordRule = {
  /** Null if the domain doesn't have the record. */
  name: (domain: Placed, keys: PublishedKeys) => string | null;
  value: (sources: RecordSources, domain: Pick<Domain, "ownershipToken">) => string;
  /** Whether one server's answer contains the record. `texts` are its TXT records. */
  read: (finding: DnsFinding, expected: Expectation, texts: string[]) => boolean | Reading;
  /** The TXT records with the same name that this one replaces; all of them by default. */
  replaces?: RegExp;
  /** The value includes what the domain publishes already. */
  isMerged?: true;
};

/** What each record contains and how it's checked. */
export const RECORD_RULES: Record<DomainRecordKind, RecordRule> = {
  ownership: {
    name: (domain) => ownershipPlace(domain).name,
    value: (_, domain) => ownershipValue(domain),
    read: (_, { ownership }, texts) => texts.some((text) => withoutQuotes(text) === ownership),
    replaces: /^svc-verify=/,
  },
  spf: spfRule("spf", ({ name }) => name),
  dkim: dkimRule("dkim"),
  dkim_ed25519: dkimRule("dkim_ed25519"),
  dkim_next: dkimRule("dkim_next"),
  dkim_ed25519_next: dkimRule("dkim_ed25519_next"),
  dmarc: {
    name: ({ name }) => `_dmarc.${name}`,
    value: ({ findings, hostname }) =>
      mergeDmarc(textsAt(findings, "dmarc"), reportAddress(hostname)),
    read: (_, __, texts) => isOne(texts.filter(looksLikeDmarc), (text) => readDmarc(text) !== null),
    replaces: /^v=DMARC1/i,
    isMerged: true,
  },
  mx: hostRule(({ name }) => name),
  tracking: hostRule((domain) => trackingHost(domain)),
  return_path_mx: {
    ...hostRule(({ name }) => returnPathName(name)),
    read: (finding, { hostname }) => isPreferredHost(finding, hostname),
  },
  return_path_spf: spfRule("return_path_spf", ({ name }) => returnPathName(name)),
  mta_sts: {
    name: ({ name }) => `_mta-sts.${name}`,
    value: ({ mtaStsId }) => `v=STSv1; id=${mtaStsId}`,
    read: (_, { mtaStsId }, texts) =>
      isOne(
        texts.filter((text) => text.startsWith("v=STSv1")),
        (text) => readTags(text)?.get("id") === mtaStsId,
      ),
    replaces: /^v=STSv1/i,
  },
  tls_rpt: {
    name: ({ name }) => `_smtp._tls.${name}`,
    value: ({ hostname }) => `v=TLSRPTv1; rua=mailto:${reportAddress(hostname)}`,
    read: (_, __, texts) =>
      isOne(
        texts.filter((text) => text.startsWith("v=TLSRPTv1")),
        (text) => /;\s*rua\s*=/i.test(text),
      ),
    replaces: /^v=TLSRPTv1/i,
  },
};

// Safe: the table has no other keys. It's in display order.
const KINDS = Object.keys(RECORD_KINDS) as DomainRecordKind[];

function spfRule(record: "spf" | "return_path_spf", name: (domain: Placed) => string): RecordRule {
  return {
    name,
    value: ({ findings, hostname }) => mergeSpf(existingSpf(findings, record), hostname),
    read: readSpfFinding,
    replaces: /^v=spf1(\s|$)/i,
    isMerged: true,
  };
}

/** The selector is missing until the key exists. */
function dkimRule(record: DkimRecordKind): RecordRule {
  return {
    name: ({ name }, keys) => {
      const selector = keys[record]?.selector;
      if (selector !== undefined) return `${selector}._domainkey.${name}`;
      return record === "dkim" ? `_domainkey.${name}` : null;
    },
    value: ({ dkimKeys: { [record]: key } }) => (key ? dkimRecord(key) : ""),
    read: (_, { dkimKeys: { [record]: key } }, texts) =>
      key !== undefined && texts.some((text) => readDkim(text, key) === "ours"),
  };
}

/** A record that names this host, as the last part of an MX or CNAME record. */
function hostRule(name: (domain: Placed) => string | null): RecordRule {
  return {
    name,
    value: ({ hostname }) => hostname,
    read: ({ records }, { hostname }) =>
      records.some((parts) => normalizeHost(parts.at(-1)!) === hostname),
  };
}

/** The address for reports about all domains. */
export const reportAddress = (hostname: string) => `reports@${hostname}`;

/** The text that proves ownership. */
export const ownershipValue = ({ ownershipToken }: Pick<Domain, "ownershipToken">) =>
  `svc-verify=${ownershipToken}`;

/**
 * The records to publish for a domain, in display order, the ownership record only until ownership is verified. Existing
 * SPF and DMARC content is kept (`mergeSpf`, `mergeDmarc`).
 */
export function domainRecords(
  domain: Pick<Domain, "name" | "ownershipToken" | "ownershipProvenAt" | "trackingSubdomain">,
  sources: RecordSources,
): DomainRecord[] {
  const proof = domain.ownershipProvenAt ? [] : [ownershipPlace(domain)];
  return [...proof, ...recordPlaces(domain, sources.dkimKeys)].map((place) => ({
    ...place,
    value: RECORD_RULES[place.record].value(sources, domain),
    ...(place.type === "MX" && { priority: 10 }),
    isVerified: sources.findings.some(
      ({ record, isVerified }) => record === place.record && isVerified,
    ),
    isRequired: RECORD_KINDS[place.record].need === "required",
  }));
}

export const ownershipPlace = ({ name }: Pick<Domain, "name">): RecordPlace => ({
  record: "ownership",
  name: `_svc-verify.${name}`,
  type: "TXT",
});

/** The records besides the ownership record, in display order. */
export const recordPlaces = (domain: Placed, keys: PublishedKeys): RecordPlace[] =>
  KINDS.filter((record) => record !== "ownership").flatMap((record) => {
    const name = RECORD_RULES[record].name(domain, keys);
    return name === null ? [] : [{ record, name, type: RECORD_KINDS[record].type }];
  });

/** The host of a domain's tracking and unsubscribe links; null if they use this server's own. */
export const trackingHost = ({ name, trackingSubdomain }: Placed): string | null =>
  trackingSubdomain === null ? null : `${trackingSubdomain}.${name}`;

/** The records of a domain's keys: the active one of each algorithm, and those that will replace them. */
type DkimRecordKind = Extract<DomainRecordKind, `dkim${string}`>;

/** The keys that are published, by record. */
export type PublishedKeys<Key = Pick<DkimKey, "selector" | "algorithm" | "publicKey">> = {
  [Kind in DkimRecordKind]?: Key;
};

const KEY_RECORDS = {
  rsa: { active: "dkim", next: "dkim_next" },
  ed25519: { active: "dkim_ed25519", next: "dkim_ed25519_next" },
} as const;

export const isDkimRecord = (kind: DomainRecordKind): kind is DkimRecordKind =>
  kind.startsWith("dkim");

/** The record of the active key that a next key replaces. */
export const replacedRecord = (kind: DkimRecordKind) =>
  kind.startsWith("dkim_ed25519") ? ("dkim_ed25519" as const) : ("dkim" as const);

/** Sorts keys by their records; retired keys have none. */
export function publishedKeys(keys: DkimKey[]): PublishedKeys<DkimKey> {
  const published: PublishedKeys<DkimKey> = {};
  for (const key of keys)
    if (key.state !== "retired") published[KEY_RECORDS[key.algorithm][key.state]] = key;
  return published;
}

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

/** Evaluates the servers' answers for one record of a domain. */
export function evaluateRecord(
  record: DomainRecordKind,
  findings: DnsFinding[],
  expectation: Expectation,
): RecordPresence {
  return evaluateFindings(findings, (finding) => readRecord(record, finding, expectation));
}

/** Whether one server's answer contains the record. */
export function readRecord(
  record: DomainRecordKind,
  finding: DnsFinding,
  expectation: Expectation,
): Reading {
  const texts = finding.records.map(joinTxtStrings);
  const reading = RECORD_RULES[record].read(finding, expectation, texts);
  if (typeof reading === "string") return reading;
  return reading ? "yes" : "no";
}

/** Some web forms keep quotes and white space around a value. */
const withoutQuotes = (text: string) => text.replace(/^[\s"']+|[\s"']+$/g, "");

/** With two candidates, receivers use neither. */
function isOne(texts: string[], isGood: (text: string) => boolean): boolean {
  return texts.length === 1 && isGood(texts[0]!);
}

/** Uses the evaluation of the record (spf.ts) if there is one, otherwise its text. */
function readSpfFinding(
  { spf }: DnsFinding,
  { hostname }: Expectation,
  texts: string[],
): boolean | Reading {
  const [text, second] = texts.filter(isSpf);
  if (text === undefined || second !== undefined) return "no";
  if (spf) return spf.authorizes;
  const terms = readSpf(text);
  const at = terms.findIndex(({ name }) => name === "all");
  return (at < 0 ? terms : terms.slice(0, at)).some(
    ({ name, qualifier, value }) => name === "a" && qualifier === "+" && value === hostname,
  );
}
