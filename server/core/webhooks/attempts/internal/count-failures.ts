/** Consecutive failures that disable a webhook. */
const FAILURES_MAX = 100;

/** A webhook's consecutive failures after further attempts. */
export type FailureCount = {
  failures: number;
  /** At least one of the attempts succeeded. */
  hasSucceeded: boolean;
  /** The webhook must be disabled; later attempts don't count. */
  isLimitReached: boolean;
};

/**
 * Continues the count with attempts in the order in which they ended.
 *
 * @param failures consecutive failures so far
 * @param attempts whether each succeeded
 */
export function countFailures(failures: number, attempts: boolean[]): FailureCount {
  const count: FailureCount = { failures, hasSucceeded: false, isLimitReached: false };
  for (const succeeded of attempts) {
    if (succeeded) {
      count.failures = 0;
      count.hasSucceeded = true;
    } else if (++count.failures >= FAILURES_MAX) {
      count.isLimitReached = true;
      break;
    }
  }
  return count;
}
