import type { WebhookEvent } from "#drizzle/schema/index.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds from the failure of the first, second, … attempt of the schedule to the next one. */
const WAITS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

/** Attempts of the schedule. Replays come on top of them. */
const SCHEDULED_MAX = WAITS.length + 1;

/** What becomes of an event after an attempt. */
export type Plan = {
  status: WebhookEvent["status"];
  scheduled: number;
  /** Seconds until the next attempt; null when none is planned. */
  waitSeconds: number | null;
};

type EndedAttempt = {
  /** Attempts of the schedule that were used up before this one. */
  scheduled: number;
  succeeded: boolean;
  /** This attempt was asked for by hand: it uses none of the schedule. */
  wasReplay: boolean;
  /** Another replay was asked for while it was under way. */
  isReplayRequested: boolean;
};

/**
 * What becomes of an event after an attempt: delivered, tried again later, or failed when all eight of
 * the schedule are used up. A failed replay goes on with the schedule where it stood.
 */
export function planNext({
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
