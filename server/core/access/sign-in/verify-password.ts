import { availableParallelism } from "node:os";

import { passwordMatches } from "#server/core/access/admins/password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** The queue is full. */
class QueueFull extends Error {
  override name = "TooMuchWork";
}

/** Each hash takes a core and 19 MiB of memory; leave threads for the rest of the process. */
const limited = limitConcurrency({ running: Math.min(2, availableParallelism()), waiting: 200 });
const RETRY_AFTER_SECONDS = 10;

/**
 * Verifies a password, doing the same work when there is no hash. Runs a few at a time and queues the rest.
 *
 * @throws Refusal `rate_limit_exceeded` if the queue is full
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  try {
    return await limited(() => passwordMatches(password, hash));
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    throw new Refusal(
      "rate_limit_exceeded",
      `Too many sign-ins at the moment. Try again in ${RETRY_AFTER_SECONDS} seconds`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}

/**
 * Limits concurrency to `running`; up to `waiting` more calls queue.
 *
 * @returns a function that runs its argument, or throws TooMuchWork if the queue is full
 */
function limitConcurrency({ running, waiting }: { running: number; waiting: number }) {
  let free = running;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else if (queue.length >= waiting) throw new QueueFull("The queue is full");
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
