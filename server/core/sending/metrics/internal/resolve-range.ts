import { Refusal } from "#server/core/shared/refusals.ts";

import type { MomentInput } from "#server/core/sending/metrics/parse-moment.ts";
import { firstInstantAt, localTime, offsetSpans } from "./zone-clock.ts";

const DAY_MS = 86_400_000;
const RANGE_DEFAULT_MS = 7 * DAY_MS;
const RANGE_MAX_MS = 366 * DAY_MS;

/** Both ends are in the range, the last millisecond as a whole. */
export type Range = { start: number; end: number };

/**
 * The range that is asked for: it ends now at the latest, and starts a week before its end when not
 * said otherwise.
 *
 * @throws Refusal `invalid` when it starts after its end or is longer than 366 days
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
    throw new Refusal("invalid", "The range is longer than 366 days: start later or end earlier");
  return range;
}

/** 366 days of the zone count as such, though one of them may have 25 hours. */
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
