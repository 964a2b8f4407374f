import type { SpfReading } from "#drizzle/schema/index.ts";
import { textOf } from "#server/core/domains/records/tag-list.ts";
import { LOOKUPS_MAX } from "#server/core/domains/spf/merge-spf.ts";
import { isSpf, readSpf, type SpfTerm } from "#server/core/domains/spf/read-spf.ts";

import {
  recordStep,
  foundAnswers,
  recordProblem,
  type RecordCase,
  textsOf,
  VERIFY_STEP,
} from "./case.ts";
import { diagnoseTyping, diagnoseValue } from "./diagnose-text.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses the content of the SPF record, its absence or duplicates. */
export function diagnoseSpf(aCase: RecordCase): Problem[] {
  const texts = textsOf(aCase).filter(isSpf);
  const [text, second] = texts;
  if (text === undefined) return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, [])];
  if (second !== undefined) return [multipleRecords(aCase, texts)];
  const finding = foundAnswers(aCase).find(({ records }) => records.map(textOf).includes(text));
  const spf = finding?.spf ?? null;
  const terms = readSpf(text);
  if (aCase.record.isVerified) return warnings(aCase, text, terms, spf);
  const unreadable = diagnoseTyping(aCase) ?? diagnoseSyntax(aCase, text, terms);
  if (unreadable) return [unreadable];
  const reason = diagnoseFailure(aCase, text, terms, spf);
  return [reason, ...warnings(aCase, text, terms, reason.code === "spf_lookups" ? null : spf)];
}

function multipleRecords(aCase: RecordCase, texts: string[]): Problem {
  return recordProblem(aCase, {
    code: "spf_several",
    title: `There are ${texts.length} SPF records`,
    explanation:
      "A domain may have one. With more receivers use none of them (RFC 7208, 4.5), and all mail of the domain fails SPF, whoever sends it.",
    found: texts.join("\n"),
    steps: [
      `Delete ${texts.length === 2 ? "one of them" : "all but one of them"}.`,
      `Change the remaining one to ${aCase.record.value}, which holds what each of them allowed.`,
      VERIFY_STEP,
    ],
  });
}

function diagnoseSyntax(aCase: RecordCase, text: string, terms: SpfTerm[]): Problem | null {
  const wrong = terms.find(({ error }) => error !== null);
  if (!wrong) return null;
  const fixed = aCase.record.value.replace(` ${wrong.text}`, "");
  return recordProblem(aCase, {
    code: "spf_syntax",
    title: `Receivers cannot read “${wrong.text}”`,
    explanation: `“${wrong.text}” ${wrong.error!}. One wrong word is enough for receivers to use nothing of the record (RFC 7208, 4.6).`,
    ...{ found: text, expected: fixed },
    steps: [`Correct “${wrong.text}”, or leave it out if nobody needs it: ${fixed}`, VERIFY_STEP],
  });
}

function diagnoseFailure(
  aCase: RecordCase,
  text: string,
  terms: SpfTerm[],
  spf: SpfReading | null,
): Problem {
  const host = aCase.expectation.hostname;
  if (spf && spf.lookups > LOOKUPS_MAX) return tooManyLookups(aCase, text, terms, spf);
  if (spf?.error)
    return recordProblem(aCase, {
      code: "spf_error",
      title: "Receivers give up on it",
      explanation: `A receiver ends with an error: ${spf.error}. It then uses nothing of the record.`,
      found: text,
      steps: ["Take out what leads nowhere.", recordStep(aCase, "change"), VERIFY_STEP],
    });
  if (spf?.authorises === "open")
    return recordProblem(aCase, {
      code: "spf_unanswered",
      title: "What it includes could not be read",
      explanation:
        "A domain that the record includes did not answer, so nobody can tell whether it lets this appliance send. What held before still holds.",
      found: text,
      steps: [
        recordStep(aCase, "change"),
        "Or wait until the included domain answers, and verify again.",
      ],
    });
  return recordProblem(aCase, {
    code: "spf_not_authorised",
    title: "It does not let this appliance send",
    explanation: isBehindEnd(terms, host)
      ? "The appliance is named behind “all”, where receivers read no further."
      : `Mail from ${host}${formatAddresses(spf)} would fail. The value to publish is your record with the appliance added; everything else in it stays.`,
    found: text,
    steps: [
      recordStep(aCase, "change"),
      "Do not add a second record: a domain may have one.",
      VERIFY_STEP,
    ],
  });
}

function tooManyLookups(
  aCase: RecordCase,
  text: string,
  terms: SpfTerm[],
  spf: SpfReading,
): Problem {
  const includes = terms.filter(({ name }) => name === "include").map(({ value }) => value);
  return recordProblem(aCase, {
    code: "spf_lookups",
    title: `It takes ${spf.lookups > 50 ? "more than 50" : spf.lookups} look-ups; ${LOOKUPS_MAX} are allowed`,
    explanation: `Each include, a, mx, ptr, exists and redirect makes receivers look something up, and so does what they lead to. After the tenth they give up (RFC 7208, 4.6.4), and mail that was not yet allowed fails.`,
    found: text,
    steps: [
      includes.length > 0
        ? `Take out the services that no longer send for you: ${includes.join(", ")}.`
        : "Take out what no longer sends for you.",
      "Replace a and mx by the addresses themselves (ip4:, ip6:), and drop ptr.",
      recordStep(aCase, "change"),
      VERIFY_STEP,
    ],
  });
}

const isBehindEnd = (terms: SpfTerm[], host: string) => {
  const end = terms.findIndex(({ name }) => name === "all");
  return end >= 0 && terms.slice(end).some(({ name, value }) => name === "a" && value === host);
};

const formatAddresses = (spf: SpfReading | null) =>
  spf && spf.hostAddresses.length > 0 ? ` (${spf.hostAddresses.join(", ")})` : "";

/** For a record that works. */
function warnings(
  aCase: RecordCase,
  text: string,
  terms: SpfTerm[],
  spf: SpfReading | null,
): Problem[] {
  const end = terms.find(({ name }) => name === "all");
  const problems: Problem[] = [];
  if (end?.qualifier === "+")
    problems.push(
      recordProblem(aCase, {
        code: "spf_allows_all",
        title: "It lets everybody send as you",
        explanation: `“${end.text}” says that any server of the Internet may send mail of the domain. Receivers distrust such domains.`,
        ...{ severity: "warning", found: text, expected: text.replace(end.text, "~all") },
        steps: [`Change “${end.text}” to “~all”.`],
      }),
    );
  if (!end && !terms.some(({ name }) => name === "redirect"))
    problems.push(
      recordProblem(aCase, {
        code: "spf_no_end",
        title: "It does not say what holds for all others",
        explanation:
          "Without “all” at its end the record neither allows nor forbids anything beyond those it names.",
        ...{ severity: "warning", found: text, expected: `${text} ~all` },
        steps: ["Add “~all” at the end."],
      }),
    );
  if (spf && spf.lookups > LOOKUPS_MAX)
    problems.push({ ...tooManyLookups(aCase, text, terms, spf), severity: "warning" });
  return problems;
}
