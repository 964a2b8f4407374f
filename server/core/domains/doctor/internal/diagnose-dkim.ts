import { isDkimRecord } from "#server/core/domains/records/dkim-records.ts";
import { type DkimReading, readDkim } from "#server/core/domains/records/read-dkim.ts";

import {
  recordStep,
  recordProblem,
  type RecordCase,
  firstAnswerTexts,
  VERIFY_STEP,
} from "./case.ts";
import { diagnoseTyping, diagnoseValue } from "./diagnose-text.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { quotedStrings } from "#server/core/domains/doctor/zone-file.ts";

type ReadingText = Pick<Problem, "title" | "explanation">;

const TEXTS: Record<Exclude<DkimReading, "ours" | "not_dkim">, ReadingText> = {
  revoked: {
    title: "The key is revoked",
    explanation:
      "“p=” is empty, which tells receivers not to trust signatures made with this key (RFC 6376, 3.6.1).",
  },
  truncated: {
    title: "The key is truncated",
    explanation:
      "The key starts correctly but its end is missing. Some DNS forms silently cut values after 255 characters. If yours does, enter the value in pieces.",
  },
  other_key: {
    title: "The record contains a different key",
    explanation:
      "The published key doesn't match the key this server signs with, so every signature fails.",
  },
  unusable: {
    title: "The key can't be used",
    explanation:
      "The key is correct, but the record's tags (k=, h= or s=) forbid its use for signing email.",
  },
};

/** Diagnoses the content of the DKIM record, or its absence. */
export function diagnoseDkim(aCase: RecordCase): Problem[] {
  const kind = aCase.record.record;
  const key = isDkimRecord(kind) ? aCase.expectation.dkimKeys[kind] : undefined;
  const texts = firstAnswerTexts(aCase);
  if (aCase.record.isVerified) return multipleRecords(aCase, texts);
  const typing = diagnoseTyping(aCase);
  if (typing) return [typing];
  for (const text of texts) {
    const reading = key ? readDkim(text, key) : "not_dkim";
    if (reading === "ours" || reading === "not_dkim") continue;
    const cut = reading === "truncated" ? splitValueStep(aCase) : [];
    return [
      recordProblem(aCase, {
        ...{ code: `dkim_${reading}`, ...TEXTS[reading], found: text },
        steps: [recordStep(aCase, "change"), ...cut, VERIFY_STEP],
      }),
    ];
  }
  return [diagnoseValue(aCase, texts)];
}

function splitValueStep({ record: { value } }: RecordCase): string[] {
  return [
    `If the form takes no more than 255 characters, enter it like this: ${quotedStrings(value)}`,
  ];
}

function multipleRecords(aCase: RecordCase, texts: string[]): Problem[] {
  if (texts.length < 2) return [];
  return [
    recordProblem(aCase, {
      code: "dkim_several",
      title: "There is more than one record",
      explanation:
        "With more than one record at a selector, receivers may use any of them (RFC 6376, 3.6.2.2).",
      ...{ severity: "warning", found: texts.join("\n") },
      steps: ["Delete all records except the expected one."],
    }),
  ];
}
