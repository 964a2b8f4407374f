import type { SpfReading } from "#drizzle/schema/index.ts";
import { joinTxtStrings } from "#server/core/domains/records/tag-list.ts";
import { LOOKUPS_MAX } from "#server/core/domains/spf/merge-spf.ts";
import { isSpf, readSpf, type SpfTerm } from "#server/core/domains/spf/read-spf.ts";

import {
  recordStep,
  foundAnswers,
  recordProblem,
  type RecordCase,
  firstAnswerTexts,
  VERIFY_STEP,
} from "./case.ts";
import { diagnoseTyping, diagnoseValue } from "./diagnose-text.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses the content of the SPF record, its absence or duplicates. */
export function diagnoseSpf(aCase: RecordCase): Problem[] {
  const texts = firstAnswerTexts(aCase).filter(isSpf);
  const [text, second] = texts;
  if (text === undefined) return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, [])];
  if (second !== undefined) return [multipleRecords(aCase, texts)];
  const finding = foundAnswers(aCase).find(({ records }) =>
    records.map(joinTxtStrings).includes(text),
  );
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
      "A domain can have only one. With more, receivers use none (RFC 7208, 4.5), and all mail of the domain fails SPF.",
    found: texts.join("\n"),
    steps: [
      `Delete ${texts.length === 2 ? "one of them" : "all but one of them"}.`,
      `Change the remaining one to ${aCase.record.value}, which combines them.`,
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
    title: `“${wrong.text}” is invalid`,
    explanation: `“${wrong.text}” ${wrong.error!}. One invalid term makes receivers ignore the whole record (RFC 7208, 4.6).`,
    ...{ found: text, expected: fixed },
    steps: [`Correct “${wrong.text}”, or remove it if it is unused: ${fixed}`, VERIFY_STEP],
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
      title: "Receivers reject the record",
      explanation: `Receivers get an error and ignore the whole record: ${spf.error}.`,
      found: text,
      steps: ["Remove the terms that no longer resolve.", recordStep(aCase, "change"), VERIFY_STEP],
    });
  if (spf?.authorizes === "open")
    return recordProblem(aCase, {
      code: "spf_unanswered",
      title: "An included record could not be read",
      explanation:
        "A domain that the record includes did not answer, so it is unknown whether the record allows this server to send. The previous result still applies.",
      found: text,
      steps: [
        recordStep(aCase, "change"),
        "Or wait until the included domain answers, then check the domain again.",
      ],
    });
  return recordProblem(aCase, {
    code: "spf_not_authorized",
    title: "The record does not allow this server to send",
    explanation: isBehindEnd(terms, host)
      ? "This server is listed after “all”, where receivers stop reading."
      : `Mail from ${host}${formatAddresses(spf)} fails SPF. The expected value is your record with this server added; everything else stays.`,
    found: text,
    steps: [
      recordStep(aCase, "change"),
      "Do not add a second record: a domain can have only one.",
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
    title: `The record needs ${spf.lookups > 50 ? "more than 50" : spf.lookups} lookups; ${LOOKUPS_MAX} are allowed`,
    explanation: `Each include, a, mx, ptr, exists and redirect costs a lookup, also inside included records. Receivers stop after ten (RFC 7208, 4.6.4), and mail not allowed by then fails.`,
    found: text,
    steps: [
      includes.length > 0
        ? `Remove the services that no longer send for you: ${includes.join(", ")}.`
        : "Remove the terms that no longer send for you.",
      "Replace a and mx with IP addresses (ip4:, ip6:), and remove ptr.",
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
        title: "The record allows any server to send as you",
        explanation: `“${end.text}” allows every server on the internet to send mail for the domain. Receivers distrust such domains.`,
        ...{ severity: "warning", found: text, expected: text.replace(end.text, "~all") },
        steps: [`Change “${end.text}” to “~all”.`],
      }),
    );
  if (!end && !terms.some(({ name }) => name === "redirect"))
    problems.push(
      recordProblem(aCase, {
        code: "spf_no_end",
        title: "The record has no “all” at its end",
        explanation:
          "Without “all” at its end, the record says nothing about servers that it doesn't list.",
        ...{ severity: "warning", found: text, expected: `${text} ~all` },
        steps: ["Add “~all” at the end."],
      }),
    );
  if (spf && spf.lookups > LOOKUPS_MAX)
    problems.push({ ...tooManyLookups(aCase, text, terms, spf), severity: "warning" });
  return problems;
}
