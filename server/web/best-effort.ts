import { setTimeout as sleep } from "node:timers/promises";

import type { Logger } from "pino";

/** The longest that recording a visit may delay the response. */
const PATIENCE_MS = 5_000;

/** With this many still running, the database is in trouble and further work is skipped. */
const AT_ONCE_MAX = 100;

let atOnce = 0;

/**
 * Runs work whose failure must not affect the response. Returns its result, or null, with a log entry, if it
 * fails or takes too long. Work that takes too long continues in the background.
 *
 * @param what it does, for the log, such as "record an open"
 */
export async function bestEffort<T>(
  what: string,
  work: () => Promise<T>,
  logger: Logger,
): Promise<T | null> {
  if (atOnce >= AT_ONCE_MAX) {
    logger.error(`could not ${what}: too many are pending`);
    return null;
  }
  atOnce++;
  const working = Promise.try(work)
    .catch((error: unknown) => {
      logger.error({ err: error }, `could not ${what}`);
      return null;
    })
    .finally(() => atOnce--);
  const impatience = new AbortController();
  const tooLate = sleep(PATIENCE_MS, null, { signal: impatience.signal }).then(
    () => {
      logger.error(`could not ${what} in time`);
      return null;
    },
    () => null,
  );
  const result = await Promise.race([working, tooLate]);
  impatience.abort();
  return result;
}
