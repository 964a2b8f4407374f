import type { DnsFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { isSpf, readSpf } from "#server/core/domains/spf/spf.ts";

import { evaluateFindings, type RecordPresence, type Reading } from "./evaluate-findings.ts";
import { isDkimRecord, isHostRecord, type PublishedKeys } from "./domain-records.ts";
import { joinTxtStrings, looksLikeDmarc, readDkim, readDmarc, readTags } from "./txt-records.ts";
import { isPreferredHost, normalizeHost } from "./return-path.ts";

/** The values that records must have. */
export type Expectation = {
  /** The mail hostname. */
  hostname: string;
  /** `svc-verify=…` */
  ownership: string;
  /** Empty before they are created. */
  dkimKeys: PublishedKeys;
  mtaStsId: string;
};

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
  { hostname, ownership, dkimKeys, mtaStsId }: Expectation,
): Reading {
  const texts = finding.records.map(joinTxtStrings);
  if (isDkimRecord(record)) return toReading(hasKey(texts, dkimKeys[record]));
  if (isHostRecord(record)) return toReading(hasHost(record, finding, hostname));
  switch (record) {
    case "ownership":
      return toReading(texts.some((text) => withoutQuotes(text) === ownership));
    case "spf":
    case "return_path_spf":
      return readSpfFinding(finding, hostname);
    case "dmarc":
      return toReading(isOne(texts.filter(looksLikeDmarc), (text) => readDmarc(text) !== null));
    case "mta_sts":
      return toReading(
        isOne(
          texts.filter(startsWith("v=STSv1")),
          (text) => readTags(text)?.get("id") === mtaStsId,
        ),
      );
    case "tls_rpt":
      return toReading(
        isOne(texts.filter(startsWith("v=TLSRPTv1")), (text) => /;\s*rua\s*=/i.test(text)),
      );
  }
}

/** The host is the last part of an MX or CNAME record. */
const hasHost = (record: DomainRecordKind, finding: DnsFinding, hostname: string) =>
  record === "return_path_mx"
    ? isPreferredHost(finding, hostname)
    : finding.records.some((parts) => normalizeHost(parts.at(-1)!) === hostname);

const hasKey = (texts: string[], key: PublishedKeys["dkim"]) =>
  key !== undefined && texts.some((text) => readDkim(text, key) === "ours");

const toReading = (holds: boolean): Reading => (holds ? "yes" : "no");
const startsWith = (version: string) => (text: string) => text.startsWith(version);

/** Some web forms keep quotes and white space around a value. */
const withoutQuotes = (text: string) => text.replace(/^[\s"']+|[\s"']+$/g, "");

/** With two candidates, receivers use neither. */
function isOne(texts: string[], isGood: (text: string) => boolean): boolean {
  return texts.length === 1 && isGood(texts[0]!);
}

/** Uses the evaluation of the record (spf.ts) if there is one, otherwise its text. */
function readSpfFinding({ records, spf }: DnsFinding, hostname: string): Reading {
  const [text, second] = records.map(joinTxtStrings).filter(isSpf);
  if (text === undefined || second !== undefined) return "no";
  if (spf) return spf.authorizes;
  const terms = readSpf(text);
  const at = terms.findIndex(({ name }) => name === "all");
  return toReading(
    (at < 0 ? terms : terms.slice(0, at)).some(
      ({ name, qualifier, value }) => name === "a" && qualifier === "+" && value === hostname,
    ),
  );
}
