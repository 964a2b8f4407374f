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
          title: "Quotes are part of the value",
          explanation: provider?.wantsQuotes
            ? "The value that the servers give out has quotes in it, so it was quoted twice: receivers do not recognise it."
            : "The value was typed with quotes into a form that adds them by itself: receivers do not recognise it.",
          found: text,
          steps: [recordStep(aCase, "change"), "Leave out every quote and backslash.", VERIFY_STEP],
        });
      if (strings.length > 1 && wouldCount(strings.join(" ")))
        return recordProblem(aCase, {
          code: "split_lost_space",
          title: "A space was lost where the value is cut",
          explanation:
            "The value stands there in several strings. Receivers put them together with nothing between (RFC 7208, 3.3), so a space has to be inside one of them.",
          found: text,
          steps: [
            recordStep(aCase, "change"),
            "Enter it in one piece: the form cuts it by itself.",
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
      title: "There is no such record yet",
      explanation: `No server of the domain has it. ${explainWait(aCase)}`,
      steps: [recordStep(aCase, "add"), VERIFY_STEP],
    });
  return recordProblem(aCase, {
    code: "different_value",
    title: "It says something else",
    explanation: `A ${record.type} record is there, with another value than the one to publish.`,
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
    ? "If it was added just now, the name servers may need a few minutes."
    : `If it was added just now, the name servers may need a few minutes, and others remember for up to ${formatDuration(negativeTtl)} that it was not there.`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  const inMinutes = Math.round(seconds / 60);
  return inMinutes < 120 ? `${inMinutes} minutes` : `${Math.round(inMinutes / 60)} hours`;
}
