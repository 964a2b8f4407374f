import { availableParallelism } from "node:os";

import pLimit from "p-limit";

import { passwordMatches } from "#server/core/access/admins/password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** Each hash takes a core and 19 MiB of memory; leave threads for the rest of the process. */
const limited = pLimit(Math.min(2, availableParallelism()));
const QUEUED_MAX = 200;
const RETRY_AFTER_SECONDS = 10;

/**
 * Verifies a password, doing the same work when there is no hash. Runs a few at a time and queues the rest.
 *
 * @throws Refusal `rate_limit_exceeded` if the queue is full
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  if (limited.pendingCount >= QUEUED_MAX)
    throw new Refusal(
      "rate_limit_exceeded",
      `Too many sign-ins at the moment. Try again in ${RETRY_AFTER_SECONDS} seconds`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  return limited(() => passwordMatches(password, hash));
}
