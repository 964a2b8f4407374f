import { availableParallelism } from "node:os";

import { isPassword } from "#server/core/access/admins/password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** More than may wait. */
class TooMuchWork extends Error {
  override name = "TooMuchWork";
}

/** Hashing takes a core each and 19 MiB of memory; other work of the process needs threads too. */
const inTurn = atMost({ running: Math.min(2, availableParallelism()), waiting: 200 });
const RETRY_AFTER_SECONDS = 10;

/**
 * Whether the password is the one that was hashed, after the same work when there is none. A few at a
 * time are looked at, the rest waits.
 *
 * @throws Refusal `rate_limit_exceeded` when too many wait
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  try {
    return await inTurn(() => isPassword(password, hash));
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    throw new Refusal(
      "rate_limit_exceeded",
      `Too many people sign in at the moment. Try again in ${RETRY_AFTER_SECONDS} seconds`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}

/**
 * Runs work of one kind at most `running` at a time; the rest waits its turn.
 *
 * @returns a function that runs what it is given; it throws TooMuchWork when `waiting` wait already
 */
function atMost({ running, waiting }: { running: number; waiting: number }) {
  let free = running;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else if (queue.length >= waiting) throw new TooMuchWork("Too much of it waits");
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
