import { readRecord } from "#server/core/domains/records/evaluate-record.ts";

import { recordStep, foundAnswers, recordProblem, type RecordCase, VERIFY_STEP } from "./case.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

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
    : `If you just added it, the name servers may need a few minutes, and resolvers may cache its absence for up to ${formatDuration(negativeTtl)}.`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  const inMinutes = Math.round(seconds / 60);
  return inMinutes < 120 ? `${inMinutes} minutes` : `${Math.round(inMinutes / 60)} hours`;
}
