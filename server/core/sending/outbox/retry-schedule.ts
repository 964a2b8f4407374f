const MINUTE = 60;

/** Seconds after the first, second, … temporary failure; the last one repeats. */
const WAITS = [1, 5, 15, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE);

/** Spreads the retries of recipients that failed at the same time. */
const JITTER = 0.1;

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

/**
 * Seconds until the next attempt after a temporary failure.
 *
 * @param attempt temporary failures before this one
 * @param retryAt when the destination allows it, in epoch milliseconds; else the schedule applies
 */
export function waitSeconds(attempt: number, retryAt: number | undefined): number {
  if (retryAt === undefined) return retryWaitSeconds(attempt);
  return Math.max(0, (retryAt - Date.now()) / 1000);
}
