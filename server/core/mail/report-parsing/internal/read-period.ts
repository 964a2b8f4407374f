const DAY_MS = 24 * 60 * 60 * 1000;
// Some reporters send one a month.
const PERIOD_MAX_MS = 32 * DAY_MS;
// Tolerates clock skew and wrong time zones.
const AHEAD_MAX_MS = 2 * DAY_MS;
const AGE_MAX_MS = 120 * DAY_MS;

/** ISO 8601 in UTC. */
export type Period = { periodStart: string; periodEnd: string };

/**
 * The period of a report; null if it is implausible.
 *
 * @param start milliseconds since the epoch, like `end`
 */
export function readPeriod(start: number, end: number, now: Date): Period | null {
  const isSane =
    start <= end &&
    end - start <= PERIOD_MAX_MS &&
    end <= now.getTime() + AHEAD_MAX_MS &&
    start >= now.getTime() - AGE_MAX_MS;
  if (!isSane) return null;
  return { periodStart: new Date(start).toISOString(), periodEnd: new Date(end).toISOString() };
}
