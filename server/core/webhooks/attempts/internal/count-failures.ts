/** Failed attempts in a row after which a webhook is disabled. */
const FAILURES_MAX = 100;

/** A webhook's failures in a row, after some more attempts. */
export type FailureCount = {
  failures: number;
  /** One of the attempts succeeded. */
  hasSucceeded: boolean;
  /** There were as many as disable it; attempts after that count no more. */
  isLimitReached: boolean;
};

/**
 * Counts on over attempts of one webhook, in the order in which they ended.
 *
 * @param failures in a row so far
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
