const DAY_MS = 24 * 60 * 60 * 1000;
/** A month, for who reports so seldom. */
const PERIOD_MAX_MS = 32 * DAY_MS;
/** Clocks differ, and so do zones that were forgotten. */
const AHEAD_MAX_MS = 2 * DAY_MS;
/** Nobody reports about what is longer ago. */
const AGE_MAX_MS = 120 * DAY_MS;

/** What a report covers, ISO 8601 in UTC. */
export type Period = { periodStart: string; periodEnd: string };

/** The period between two moments, in milliseconds since 1970; null when no report can be about it. */
export function readPeriod(start: number, end: number, now: number): Period | null {
  const isSane =
    start <= end &&
    end - start <= PERIOD_MAX_MS &&
    end <= now + AHEAD_MAX_MS &&
    start >= now - AGE_MAX_MS;
  if (!isSane) return null;
  return { periodStart: new Date(start).toISOString(), periodEnd: new Date(end).toISOString() };
}
