import type { DnsFinding } from "#drizzle/schema/index.ts";
import {
  type DomainRecord,
  type Expectation,
  readRecord,
} from "#server/core/domains/records/domain-records.ts";
import { isResolver, type Reading } from "#server/core/domains/records/evaluate-findings.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";

import type { Probes } from "#server/core/domains/doctor/probe.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { type DnsProvider, hostField } from "#server/core/domains/doctor/providers.ts";
import { quotedStrings } from "#server/core/domains/doctor/zone-file.ts";

/** Everything a diagnosis of one record is based on. */
export type RecordCase = {
  domain: string;
  /** The registered domain. */
  zone: string;
  record: DomainRecord;
  /** Each server's answer at the record's name. */
  answers: DnsFinding[];
  expectation: Expectation;
  probes: Probes;
  provider: DnsProvider | null;
  /** The domain's own name servers. */
  domainServers: string[];
  /** Whether mail from this server would pass SPF or DKIM. */
  isAuthenticated: boolean;
};

/** Answers of the zone's servers, without the configured resolver. */
export const zoneAnswers = ({ answers }: RecordCase) =>
  answers.filter((finding) => !isResolver(finding));

/** Non-empty answers of the zone's servers, or of the resolver if none of them answered. */
export function foundAnswers(aCase: RecordCase): DnsFinding[] {
  const answered = zoneAnswers(aCase).filter(({ kind }) => kind !== "failed");
  return (answered.length > 0 ? answered : aCase.answers).filter(({ kind }) => kind === "found");
}

export const readAnswer = ({ record, expectation }: RecordCase, finding: DnsFinding): Reading =>
  finding.kind === "found" ? readRecord(record.record, finding, expectation) : "no";

/** The texts of the first non-empty answer. */
export const firstAnswerTexts = (aCase: RecordCase): string[] =>
  (foundAnswers(aCase)[0]?.records ?? []).map(joinTxtStrings);

type ProblemText = Pick<Problem, "code" | "title" | "explanation" | "steps"> &
  Partial<Pick<Problem, "expected" | "found" | "severity">>;

/** Creates a problem of the case's record. `expected` defaults to the value to publish. */
export const recordProblem = ({ record }: RecordCase, told: ProblemText): Problem => ({
  record: record.record,
  expected: record.value,
  found: null,
  severity: record.isRequired && !record.isVerified ? "error" : "warning",
  ...told,
});

/** Where to enter the record, to begin a step with. */
export const atProvider = ({ provider }: RecordCase): string =>
  provider ? `At ${provider.name}` : "At your DNS provider";

/** The step that corrects the record. */
export function recordStep(aCase: RecordCase, verb: "add" | "change"): string {
  const { record, zone, provider } = aCase;
  const place = provider?.takesFullNames
    ? `for ${record.name}`
    : `with the host ${hostField(record.name, zone, provider) || "(empty)"} (most forms append .${zone} automatically)`;
  const content = describeContent(record, provider);
  const step =
    verb === "add"
      ? `add ${withArticle(record.type)} record ${place}${provider?.takesFullNames ? " with" : " and"} ${content}`
      : `change the ${record.type} record ${place} to ${content}`;
  return `${atProvider(aCase)}, ${step}.`;
}

/** "an MX", "a TXT" */
const withArticle = (type: string) => (type === "MX" ? `an ${type}` : `a ${type}`);

function describeContent({ type, value, priority }: DomainRecord, provider: DnsProvider | null) {
  const content =
    type !== "TXT"
      ? `the ${type === "MX" ? "mail server" : "target host"} ${value}${provider?.wantsFinalDot ? "." : ""}`
      : `the value ${provider?.wantsQuotes ? quotedStrings(value) : value}`;
  return priority === undefined ? content : `${content} and the priority ${priority}`;
}

export const VERIFY_STEP = "Then check the domain again.";
