import type { Vacation } from "#drizzle/schema/index.ts";

import { invalid, lineOf, linesOf } from "./rule-text.ts";

const SUBJECT_MAX = 200;
const TEXT_MAX = 10_000;

/** @throws Refusal `invalid` */
export function checkVacation(vacation: Vacation): Vacation {
  const { isOn, startsOn, endsOn, timeZone } = vacation;
  for (const day of [startsOn, endsOn]) if (day !== null) requireDay(day);
  if (startsOn !== null && endsOn !== null && endsOn < startsOn)
    throw invalid("The last day is before the first");
  requireTimeZone(timeZone);
  // Of an answer that is switched off there may be half a draft.
  const text = (line: typeof lineOf, given: string, field: string, max: number) =>
    !isOn && given.trim() === "" ? "" : line(given, field, max);
  return {
    ...vacation,
    subject: text(lineOf, vacation.subject, "Subject", SUBJECT_MAX),
    text: text(linesOf, vacation.text, "Text", TEXT_MAX),
  };
}

/** A day of the calendar: 2026-02-30 is none. */
function requireDay(day: string): void {
  const moment = /^20\d\d-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
  if (Number.isNaN(moment) || new Date(moment).toISOString().slice(0, 10) !== day)
    throw invalid(`${day.slice(0, 20)} is no day`);
}

function requireTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    throw invalid(`${timeZone.slice(0, 60)} is no time zone`);
  }
}
