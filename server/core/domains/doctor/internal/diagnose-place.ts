import type { DnsFinding, DomainRecordKind } from "#drizzle/schema/index.ts";
import { misplacedNames } from "#server/core/domains/doctor/probe.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { readRecord } from "#server/core/domains/records/domain-records.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";

import {
  atProvider,
  foundAnswers,
  readAnswer,
  type RecordCase,
  recordProblem,
  recordStep,
  VERIFY_STEP,
  zoneAnswers,
} from "./case.ts";

/** Diagnoses why a record is not at its name, whatever its content. Comes before its content. */
export function diagnosePlace(aCase: RecordCase): Problem | null {
  return (
    diagnoseAlias(aCase) ??
    diagnoseMisplaced(aCase) ??
    diagnoseDelegation(aCase) ??
    diagnoseWildcard(aCase)
  );
}

function diagnoseAlias(aCase: RecordCase): Problem | null {
  const alias = aCase.answers.find(({ cname }) => cname !== null)?.cname;
  if (!alias) return null;
  const { name } = aCase.record;
  return recordProblem(aCase, {
    code: "alias_in_the_way",
    title: `There is an alias (CNAME) at ${name}`,
    explanation: `A CNAME can't coexist with other records (RFC 1034, 3.6.2). Lookups of ${name} are redirected to ${alias}.`,
    found: `CNAME ${alias}`,
    steps: [
      `${atProvider(aCase)}, delete the CNAME record of ${name}.`,
      recordStep(aCase, "add"),
      VERIFY_STEP,
    ],
  });
}

function diagnoseMisplaced(aCase: RecordCase): Problem | null {
  const { record, domain, zone, probes } = aCase;
  const isThere = (findings: DnsFinding[]) =>
    findings.some((finding) => readAnswer(aCase, finding) === "yes");
  const place = misplacedNames(domain, record).find(
    (name) =>
      isThere(probes.elsewhere.get(`${record.type} ${name}`) ?? []) &&
      !isCommon(record.record, name, domain),
  );
  if (!place) return null;
  const isTwice = place === `${record.name}.${zone}`;
  return recordProblem(aCase, {
    code: isTwice ? "domain_twice" : "wrong_host",
    title: isTwice ? "The host contains the domain twice" : "The record is at another host",
    explanation: isTwice
      ? `The record is at ${place}: the form appended ${zone} to a host that already ended in it.`
      : `The record is at ${place}, but receivers look for it at ${record.name}.`,
    expected: record.name,
    found: place,
    steps: [recordStep(aCase, "add"), `Delete the one at ${place}.`, VERIFY_STEP],
  });
}

/** Records that commonly exist at the registered domain for its own use, or at the domain instead of its return path. */
function isCommon(record: DomainRecordKind, name: string, domain: string): boolean {
  if (name === domain) return RETURN_PATH.includes(record);
  return (
    [...RETURN_PATH, "spf", "dmarc", "mx", "tls_rpt", "mta_sts"].includes(record) &&
    !name.includes(`${domain}.`) &&
    !name.endsWith(`.${domain}`)
  );
}

const RETURN_PATH: DomainRecordKind[] = ["return_path_mx", "return_path_spf"];

function diagnoseDelegation(aCase: RecordCase): Problem | null {
  const servers = zoneAnswers(aCase).map(({ server }) => server);
  const isAway =
    servers.length > 0 &&
    aCase.domainServers.length > 0 &&
    !servers.some((server) => aCase.domainServers.includes(server));
  if (!isAway || foundAnswers(aCase).length > 0) return null;
  const { name } = aCase.record;
  const label = name.split(".").find((part, at) => at > 0 && part.startsWith("_")) ?? name;
  return recordProblem(aCase, {
    code: "delegated_away",
    title: "The name is delegated to other name servers",
    explanation: `NS records delegate ${name} to ${servers.join(" and ")}, which don't have the record. A record entered with the domain's other records is ignored.`,
    found: `NS ${servers.join(", ")}`,
    steps: [
      `Add the record at the provider of ${servers[0]!}, or delete the NS records of ${label === name ? name : `${label}.${aCase.domain}`} if they are unused.`,
      recordStep(aCase, "add"),
      VERIFY_STEP,
    ],
  });
}

function diagnoseWildcard(aCase: RecordCase): Problem | null {
  const { record, domain, probes } = aCase;
  if (record.type !== "TXT" || record.name === domain) return null;
  const text = (findings: DnsFinding[]) =>
    findings.flatMap(({ records }) => records.map(joinTxtStrings));
  const atWildcard = new Set(text(probes.wildcard));
  const here = text(foundAnswers(aCase));
  if (here.length === 0 || !here.every((one) => atWildcard.has(one))) return null;
  return recordProblem(aCase, {
    code: "wildcard_answers",
    title: "A wildcard record answers instead",
    explanation: `There is no record at ${record.name}. The wildcard *.${domain} answers for all missing names, so receivers get its value instead.`,
    found: here[0]!,
    steps: [recordStep(aCase, "add"), VERIFY_STEP],
  });
}

/** Diagnoses values that would be right but for quoting or splitting. */
export function diagnoseTyping(aCase: RecordCase): Problem | null {
  const { record, expectation, provider } = aCase;
  for (const finding of foundAnswers(aCase))
    for (const strings of finding.records) {
      const wouldCount = (text: string) =>
        readRecord(
          record.record,
          { ...finding, spf: undefined, records: [[text]] },
          expectation,
        ) === "yes";
      const text = strings.join("");
      if (wouldCount(text)) continue;
      if (/["“”'\\]/.test(text) && wouldCount(text.replace(/["“”'\\]/g, "").trim()))
        return recordProblem(aCase, {
          code: "quotes_in_value",
          title: "The value contains quotes",
          explanation: provider?.wantsQuotes
            ? "The value was quoted twice, so receivers don't recognize it."
            : "The value was entered with quotes, which the form adds automatically, so receivers don't recognize it.",
          found: text,
          steps: [
            recordStep(aCase, "change"),
            "Leave out all quotes and backslashes.",
            VERIFY_STEP,
          ],
        });
      if (strings.length > 1 && wouldCount(strings.join(" ")))
        return recordProblem(aCase, {
          code: "split_lost_space",
          title: "A space is missing where the value is split",
          explanation:
            "The value is split into several strings. Receivers join them without a space (RFC 7208, 3.3), so the space must be inside one of them.",
          found: text,
          steps: [
            recordStep(aCase, "change"),
            "Enter it in one piece. The form splits it automatically.",
            VERIFY_STEP,
          ],
        });
    }
  return null;
}

/** For a record that is missing or has another value. */
export function diagnoseValue(aCase: RecordCase, texts: string[]): Problem {
  const { record } = aCase;
  if (texts.length === 0)
    return recordProblem(aCase, {
      code: "not_found",
      title: "Record not found",
      explanation: `None of the domain's name servers has the record. ${explainWait(aCase)}`,
      steps: [recordStep(aCase, "add"), VERIFY_STEP],
    });
  return recordProblem(aCase, {
    code: "different_value",
    title: "The record has a different value",
    explanation: `There is a ${record.type} record, but its value differs from the expected one.`,
    found: closest(record.value, texts),
    steps: [recordStep(aCase, "change"), VERIFY_STEP],
  });
}

/** The text with the longest common prefix: most likely the one that was meant. */
function closest(value: string, texts: string[]): string {
  const same = (text: string) => {
    let count = 0;
    while (count < text.length && text[count] === value[count]) count++;
    return count;
  };
  return texts.reduce((best, text) => (same(text) > same(best) ? text : best));
}

function explainWait({ probes: { negativeTtl } }: RecordCase): string {
  return negativeTtl === null
    ? "If you just added it, the name servers may need a few minutes."
    : `If you just added it, the name servers may need a few minutes, and resolvers may cache its absence for up to ${describeSeconds(negativeTtl)}.`;
}

export function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  const inMinutes = Math.round(seconds / 60);
  return inMinutes < 120 ? `${inMinutes} minutes` : `${Math.round(inMinutes / 60)} hours`;
}
