import { Refusal } from "#server/core/shared/refusals.ts";

import type { Granularity } from "#server/core/sending/metrics/metric-names.ts";
import type { Range } from "./resolve-range.ts";
import { firstInstantAt, localTime, offsetSpans } from "./zone-clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday; weeks start on Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const PERIODS_MAX = 10_000;

/** The part of a period that lies in the range. */
export type Period = Range & {
  /** The local time at which the period starts: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM:SS` for an hour. */
  label: string;
};

/** Rounds a local time down to a period, and steps to the next one. */
const UNITS: Record<Granularity, { floor(local: number): number; next(floor: number): number }> = {
  hourly: { floor: (local) => local - mod(local, HOUR_MS), next: (floor) => floor + HOUR_MS },
  daily: { floor: (local) => local - mod(local, DAY_MS), next: (floor) => floor + DAY_MS },
  weekly: {
    floor: (local) => local - mod(local - FIRST_MONDAY_MS, WEEK_MS),
    next: (floor) => floor + WEEK_MS,
  },
  monthly: { floor: (local) => startOfMonth(local, 0), next: (floor) => startOfMonth(floor, 1) },
};

/**
 * Lists the periods of a range in a zone, in order, with unique labels.
 *
 * Periods follow the zone's calendar: a day may have 23 or 25 hours. An hour that clocks repeat is one period
 * of two hours; an hour that they skip is none.
 *
 * @throws Refusal `invalid` for more than 10,000 periods
 */
export function listPeriods(
  { start, end }: Range,
  zone: string,
  granularity: Granularity,
): Period[] {
  const clocks = offsetSpans(zone, start, end);
  const unit = UNITS[granularity];
  const periods: Period[] = [];
  for (
    let local = unit.floor(localTime(clocks, start)), first = start;
    first <= end;
    local = unit.next(local), first = firstInstantAt(clocks, local)
  ) {
    const previous = periods.at(-1);
    if (previous) previous.end = first - 1;
    // A skipped period starts at the same instant as the next one.
    if (previous?.start === first) periods.pop();
    periods.push({ start: first, end, label: labelOf(local, granularity) });
    if (periods.length > PERIODS_MAX)
      throw new Refusal(
        "invalid",
        "The range has more than 10,000 periods. Request longer periods",
      );
  }
  return periods;
}

function labelOf(local: number, granularity: Granularity): string {
  const label = new Date(local).toISOString();
  return label.slice(0, (granularity === "hourly" ? "YYYY-MM-DDTHH:MM:SS" : "YYYY-MM-DD").length);
}

function startOfMonth(local: number, monthsLater: number): number {
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}

/** Like %, but never negative. */
const mod = (value: number, size: number) => ((value % size) + size) % size;
