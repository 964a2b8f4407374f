import { Refusal } from "#server/core/shared/refusals.ts";

import type { MomentInput } from "#server/core/sending/metrics/parse-moment.ts";
import { firstInstantAt, localTime, offsetSpans } from "./zone-clock.ts";

const DAY_MS = 86_400_000;
const RANGE_DEFAULT_MS = 7 * DAY_MS;
const RANGE_MAX_MS = 366 * DAY_MS;

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
  if (end - start > RANGE_MAX_MS + DAY_MS) return true;
  const clocks = offsetSpans(zone, start, end);
  return localTime(clocks, end) - localTime(clocks, start) > RANGE_MAX_MS;
}

function lastInstantOf(moment: MomentInput, zone: string): number {
  if (moment.kind !== "date") return instantOf(moment, zone);
  return instantOf({ kind: "date", local: moment.local + DAY_MS }, zone) - 1;
}

function instantOf(moment: MomentInput, zone: string): number {
  if (moment.kind === "instant") return moment.instant;
  const { local } = moment;
  return firstInstantAt(offsetSpans(zone, local - 2 * DAY_MS, local + 2 * DAY_MS), local);
}
