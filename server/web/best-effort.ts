import { setTimeout as sleep } from "node:timers/promises";

import type { Logger } from "pino";

/** As long as a reader may wait for our bookkeeping. */
const PATIENCE_MS = 5_000;

/** With as many that do not come to an end, the next are not begun: the database is in trouble. */
const AT_ONCE_MAX = 100;

let atOnce = 0;

/**
 * The result of `work`, or null when it fails or takes too long, which is logged: for what somebody
 * who asks for something else must not suffer from. What takes too long goes on by itself.
 */
export async function bestEffort<T>(work: () => Promise<T>, logger: Logger): Promise<T | null> {
  if (atOnce >= AT_ONCE_MAX) {
    logger.error("visit lost: those before it do not come to an end");
    return null;
  }
  atOnce++;
  const working = Promise.try(work)
    .catch((error: unknown) => {
      logger.error({ err: error }, "visit lost");
      return null;
    })
    .finally(() => atOnce--);
  const impatience = new AbortController();
  const tooLate = sleep(PATIENCE_MS, null, { signal: impatience.signal }).then(
    () => {
      logger.error("visit not recorded in time");
      return null;
    },
    () => null,
  );
  const result = await Promise.race([working, tooLate]);
  impatience.abort();
  return result;
}
