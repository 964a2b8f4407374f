import type { DnsFinding } from "#drizzle/schema/index.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";
import { storableText } from "#server/core/shared/text.ts";

/** Per answer. Some domains publish dozens of records; hundreds are abuse. */
const RECORDS_MAX = 40;
const CHARACTERS_MAX = 16_000;

/**
 * Limits the stored answers in size and removes what the database can't store. Keeps records that look
 * relevant over others.
 */
export function trimAnswers(answers: DnsFinding[]): DnsFinding[] {
  return answers.map((answer) => ({
    ...answer,
    records: trimRecords(answer.records),
    ...(answer.spf && {
      spf: { ...answer.spf, error: answer.spf.error && storable(answer.spf.error) },
    }),
  }));
}

const storable = (text: string) => storableText(text, Infinity, "\ufffd");

function trimRecords(records: string[][]): string[][] {
  const isRelevant = (strings: string[]) =>
    /^\W*(v=|svc-verify=|\d+$)/i.test(joinTxtStrings(strings));
  let left = CHARACTERS_MAX;
  return [...records.filter(isRelevant), ...records.filter((strings) => !isRelevant(strings))]
    .slice(0, RECORDS_MAX)
    .filter((strings) => {
      const { length } = strings.join("");
      if (length > left) return false;
      left -= length;
      return true;
    })
    .map((strings) => strings.map(storable));
}
