import type { Outcome } from "#mail/smtp/outcome.ts";

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
 * How long to wait before the next attempt, and whether the history gets an entry. `quiet`: no entry, because there was no attempt;
 * only the first wait at a limited destination gets one, with the reason. `warm_up`: waits for the warm-up quota without an attempt;
 * the retry hours count from the next attempt, and the entry says when that is.
 *
 * @param attempt temporary failures before this one
 */
export function waitOf(
  { retryAt, notAttempted }: Pick<Outcome, "retryAt" | "notAttempted">,
  attempt: number,
): { quiet: boolean; warm_up: boolean; wait_seconds: number } {
  if (retryAt === undefined)
    return { quiet: false, warm_up: false, wait_seconds: retryWaitSeconds(attempt) };
  return {
    quiet: notAttempted === "paced" || (notAttempted === "suspended" && attempt > 0),
    warm_up: notAttempted === "warm_up",
    wait_seconds: Math.max(0, (retryAt - Date.now()) / 1000),
  };
}
