import { Temporal } from "temporal-polyfill";

import { Refusal } from "#server/core/shared/refusals.ts";

import type { Granularity } from "./metric-names.ts";

/** A moment in a request. Local times are the UTC instants with the same clock reading, in milliseconds. */
export type MomentInput =
  | { kind: "date"; local: number }
  | { kind: "local"; local: number }
  | { kind: "instant"; instant: number };

const MOMENT =
  /^([12]\d{3}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i;

/**
 * Parses an ISO 8601 date, local date and time, or instant (with `Z` or an offset). Truncates to
 * milliseconds. Null for anything else, including impossible dates.
 */
export function parseMoment(text: string): MomentInput | null {
  const [, date, time, seconds = ":00", offset] = MOMENT.exec(text) ?? [];
  if (date === undefined || !isDay(date)) return null;
  if (time === undefined) return { kind: "date", local: Date.parse(`${date}T00:00Z`) };
  const local = Date.parse(`${date}T${time}${seconds.slice(0, ":00.000".length)}Z`);
  return offset === undefined
    ? { kind: "local", local }
    : { kind: "instant", instant: local - offsetMs(offset) };
}

/** Date.parse rolls February 30 over to March. */
function isDay(date: string): boolean {
  const parsed = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date);
}

function offsetMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return Number(`${sign ?? "+"}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

const PLACE = /^(?:[a-z]{4,}|(?!SystemV\/)[a-z]+\/[a-z0-9_/+-]+)$/i;

/**
 * Returns the IANA time zone with this name, in its canonical case; null if there is none.
 *
 * Abbreviations (EST, CET, GMT) and offsets are rejected although the database lists some. A link keeps its
 * own name, because which of two linked names is primary has changed over time (Asia/Calcutta, Asia/Kolkata).
 */
export function findTimeZone(name: string): string | null {
  if (name.toUpperCase() === "UTC") return "UTC";
  const known = PLACE.test(name) ? zoneKnownAs(name) : null;
  return known?.toLowerCase() === name.toLowerCase() ? known : known && name;
}

function zoneKnownAs(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

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

const RANGE_DAY_MS = 86_400_000;
const RANGE_DEFAULT_MS = 7 * RANGE_DAY_MS;
const RANGE_MAX_MS = 366 * RANGE_DAY_MS;

/** In milliseconds since 1970, both ends included. */
export type Range = { start: number; end: number };

/**
 * Resolves the requested range: it ends now at the latest, and by default starts a week before its end.
 *
 * @throws Refusal `invalid` if it starts after its end or is longer than 366 days
 */
export function resolveRange(
  now: Date,
  { start, end, zone }: { start: MomentInput | null; end: MomentInput | null; zone: string },
): Range {
  const lastInstant = Math.min(end ? lastInstantOf(end, zone) : Infinity, now.getTime());
  const range = {
    start: start ? instantOf(start, zone) : lastInstant - RANGE_DEFAULT_MS,
    end: lastInstant,
  };
  if (range.start > range.end)
    throw new Refusal("invalid", "start_date is after end_date or in the future");
  if (isTooLong(range, zone))
    throw new Refusal("invalid", "The range is longer than 366 days. Start later or end earlier");
  return range;
}

/** 366 calendar days are allowed even if one of them has 25 hours. */
function isTooLong({ start, end }: Range, zone: string): boolean {
  if (end - start <= RANGE_MAX_MS) return false;
  if (end - start > RANGE_MAX_MS + RANGE_DAY_MS) return true;
  const clocks = offsetSpans(zone, start, end);
  return localTime(clocks, end) - localTime(clocks, start) > RANGE_MAX_MS;
}

function lastInstantOf(moment: MomentInput, zone: string): number {
  if (moment.kind !== "date") return instantOf(moment, zone);
  return instantOf({ kind: "date", local: moment.local + RANGE_DAY_MS }, zone) - 1;
}

function instantOf(moment: MomentInput, zone: string): number {
  if (moment.kind === "instant") return moment.instant;
  const { local } = moment;
  return firstInstantAt(
    offsetSpans(zone, local - 2 * RANGE_DAY_MS, local + 2 * RANGE_DAY_MS),
    local,
  );
}

/** A span of time with a constant UTC offset; it ends where the next begins. */
type OffsetSpan = { from: number; offsetMs: number };

/**
 * Lists a zone's UTC offsets between two instants, in milliseconds since 1970. A local time is represented as
 * the UTC instant with the same clock reading.
 */
function offsetSpans(zone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  for (
    let at: Temporal.ZonedDateTime | null = start;
    at && at.epochMilliseconds <= to;
    at = at.getTimeZoneTransition("next")
  )
    spans.push({ from: at.epochMilliseconds, offsetMs: at.offsetNanoseconds / 1_000_000 });
  return spans;
}

const localTime = (spans: OffsetSpan[], instant: number): number =>
  instant + spans.findLast(({ from }, i) => i === 0 || from <= instant)!.offsetMs;

/**
 * The first instant with this local time; if clocks skip it, the first one after. Of a repeated time, the
 * first occurrence.
 */
function firstInstantAt(spans: OffsetSpan[], local: number): number {
  const at = spans.findIndex(({ offsetMs }, i) => {
    const next = spans[i + 1];
    return next === undefined || local - offsetMs < next.from;
  });
  const { from, offsetMs } = spans[at]!;
  return Math.max(from, local - offsetMs);
}
