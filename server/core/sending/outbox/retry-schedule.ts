const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Waits after the first, second, … temporary failure, in seconds; the last one repeats. */
const WAITS = [1, 5, 15, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE);

/** Spreads the retries of many recipients that failed in one moment. */
const JITTER = 0.1;

/** How long a recipient is tried before it is given up, in seconds (RFC 5321, 4.5.4.1 asks for days). */
export const GIVE_UP_AFTER_SECONDS = 48 * HOUR;

/**
 * Seconds until the next attempt.
 *
 * @param attempt temporary failures before this one
 * @param random from 0 to 1
 */
export function retryWaitSeconds(attempt: number, random = Math.random()): number {
  const wait = WAITS[Math.min(attempt, WAITS.length - 1)]!;
  return wait * (1 - JITTER + 2 * JITTER * random);
}
