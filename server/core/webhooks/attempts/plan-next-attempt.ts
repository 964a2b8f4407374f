import type { WebhookEvent } from "#drizzle/schema/index.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds to wait after the first, second, … scheduled attempt fails. */
const WAITS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

/** Replays don't count. */
const SCHEDULED_MAX = WAITS.length + 1;

/** The state of an event after an attempt. */
export type RetryPlan = {
  status: WebhookEvent["status"];
  scheduled: number;
  /** Null if no attempt is planned. */
  waitSeconds: number | null;
};

type EndedAttempt = {
  /** Scheduled attempts used before this one. */
  scheduled: number;
  succeeded: boolean;
  /** Requested manually, so it uses none of the schedule. */
  wasReplay: boolean;
  /** A replay was requested during this attempt. */
  isReplayRequested: boolean;
};

/**
 * Decides what follows an attempt: delivered, retry, or failed once all eight scheduled attempts are used. A
 * failed replay continues the schedule where it was.
 */
export function planNextAttempt({
  scheduled,
  succeeded,
  wasReplay,
  isReplayRequested,
}: EndedAttempt): RetryPlan {
  const used = Math.min(scheduled + (wasReplay ? 0 : 1), SCHEDULED_MAX);
  if (isReplayRequested) return { status: "attempting", scheduled: used, waitSeconds: 0 };
  if (succeeded) return { status: "success", scheduled: used, waitSeconds: null };
  if (used >= SCHEDULED_MAX) return { status: "failed", scheduled: used, waitSeconds: null };
  return { status: "attempting", scheduled: used, waitSeconds: WAITS[Math.max(used, 1) - 1]! };
}

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
