import type { Logger } from "pino";

import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { msUntilNextDue, processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { backoffMs, type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

/** Emails that are scheduled or rescheduled during the sleep are noticed within this time. */
const SLEEP_MAX_MS = 1_000;
/** Due rows that are locked belong to another worker: wait before looking again. */
const SLEEP_MIN_MS = 50;

/**
 * Sends scheduled emails when they come due, until stopped. Any number of schedulers can work on one
 * database: if one dies before its commit, another processes the batch.
 */
export function startScheduler({ db, log }: { db: Db; log: Logger }): RunningLoop {
  return runLoop(() => processBatch(db), {
    pauseMs: SLEEP_MAX_MS,
    retryMs: backoffMs,
    onError: (error, failures) => {
      if (failures === 1)
        log.error({ err: error }, "could not send the scheduled emails that are due; retrying");
    },
    onRecovered: () => log.info("reading scheduled emails works again"),
  });
}

/** Processes one batch. Returns the time to sleep in milliseconds. */
async function processBatch(db: Db): Promise<number> {
  const { isFull, sent, suppressed, ended } = await processDueEmails(db);
  if (sent > 0) wakePump(db);
  if (sent + suppressed + ended > 0) wakeWebhooks(db);
  if (isFull) return 0;
  const next = (await msUntilNextDue(db)) ?? SLEEP_MAX_MS;
  return Math.min(SLEEP_MAX_MS, Math.max(SLEEP_MIN_MS, next));
}
