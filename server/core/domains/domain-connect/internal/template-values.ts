import type { DnsFinding, DomainFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import {
  type KnownDomain,
  listDomainRecords,
  toExpectation,
} from "#server/core/domains/dns-checks/check-records.ts";
import { relevantFindings } from "#server/core/domains/records/evaluate-findings.ts";

/** What a link asks a DNS provider to publish. */
export type TemplateValues = {
  /** Each is the ID of a group of the template. */
  records: DomainRecordKind[];
  variables: Record<string, string>;
};

/** Requested even if there are records at the name: they are earlier ones of Posthouse, or the provider merges them (SPF). */
const ADDED: DomainRecordKind[] = [
  ...(["ownership", "spf", "dkim", "dkim_ed25519", "return_path_spf"] as const),
];
/** Requested only if there are no records at the name, because the provider would replace them. */
const IF_FREE: DomainRecordKind[] = ["dmarc", "mx", "return_path_mx", "mta_sts", "tls_rpt"];

/**
 * The missing records that the template (`docs/domain-connect`) can publish without replacing anything, as of the last
 * check. The template has neither the next DKIM keys, because a provider may then remove the current ones, nor the
 * tracking host, whose name the company chooses.
 */
export function templateValues(known: KnownDomain): TemplateValues {
  const missing = listDomainRecords(known).filter(
    ({ isVerified, value }) => !isVerified && value !== "",
  );
  const isFound = (kind: DomainRecordKind) => findingOf(known, kind)?.isVerified === true;
  const open = missing
    .map(({ record }) => record)
    .filter((kind) => {
      const kinds = kindsFound(findingOf(known, kind));
      if (ADDED.includes(kind)) return kinds !== null;
      return IF_FREE.includes(kind) && kinds !== null && !kinds.includes("found");
    });
  // Without it, an MTA-STS policy would name servers that don't receive the domain's mail.
  const receivesHere = isFound("mx") || open.includes("mx");
  const records = open.filter((kind) => kind !== "mta_sts" || receivesHere);
  return { records, variables: records.length === 0 ? {} : variablesOf(known) };
}

const findingOf = ({ findings }: KnownDomain, kind: DomainRecordKind) =>
  findings.find(({ record }) => record === kind);

/** What the servers answered. Null if that isn't known, or the name is an alias, which a provider would remove. */
function kindsFound(finding: DomainFinding | undefined): DnsFinding["kind"][] | null {
  const answers = relevantFindings(finding?.answers ?? []);
  const isUnclear = answers.some(({ kind, cname }) => kind === "failed" || cname !== null);
  return answers.length === 0 || isUnclear ? null : answers.map(({ kind }) => kind);
}

function variablesOf(known: KnownDomain): Record<string, string> {
  const { ownershipToken: ownership } = known.domain;
  const { dkim, dkim_ed25519: ed } = known.dkimKeys;
  return {
    ...{ ownership, policyId: toExpectation(known).mtaStsId },
    ...(dkim && { rsaSelector: withoutPrefix(dkim.selector), rsaKey: dkim.publicKey }),
    ...(ed && { edSelector: withoutPrefix(ed.selector), edKey: ed.publicKey }),
  };
}

/** The template has the prefix, so that a link can't name any other host. */
const withoutPrefix = (selector: string) => selector.replace(/^ph[12]-/, "");
