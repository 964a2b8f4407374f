const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds after the first, second, … temporary failure; the last one repeats. */
const WAITS = [1, 5, 15, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE);

/** Spreads the retries of recipients that failed at the same time. */
const JITTER = 0.1;

/** When delivery is given up. RFC 5321, 4.5.4.1 recommends several days. */
export const GIVE_UP_AFTER_SECONDS = 48 * HOUR;

/**
 * Returns the seconds until the next attempt.
 *
 * @param attempt temporary failures before this one
 * @param random from 0 to 1
 */
export function retryWaitSeconds(attempt: number, random = Math.random()): number {
  const wait = WAITS[Math.min(attempt, WAITS.length - 1)]!;
  return wait * (1 - JITTER + 2 * JITTER * random);
}
