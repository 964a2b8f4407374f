import type { WebhookEvent } from "#drizzle/schema/index.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds to wait after the first, second, … scheduled attempt fails. */
const WAITS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

/** Replays come on top. */
const SCHEDULED_MAX = WAITS.length + 1;

/** The state of an event after an attempt. */
export type Plan = {
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
}: EndedAttempt): Plan {
  const used = Math.min(scheduled + (wasReplay ? 0 : 1), SCHEDULED_MAX);
  if (isReplayRequested) return { status: "attempting", scheduled: used, waitSeconds: 0 };
  if (succeeded) return { status: "success", scheduled: used, waitSeconds: null };
  if (used >= SCHEDULED_MAX) return { status: "failed", scheduled: used, waitSeconds: null };
  return { status: "attempting", scheduled: used, waitSeconds: WAITS[Math.max(used, 1) - 1]! };
}
