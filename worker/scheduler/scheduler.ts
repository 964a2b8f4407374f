import type { Logger } from "pino";

import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import { msUntilNextDue, processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { SCHEDULES_CHANNEL } from "#server/core/sending/schedules/schedules.ts";
import { onWake } from "#server/core/shared/wake.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Connection, Db } from "#server/db/client.ts";
import { backoffMs, type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

/** The longest sleep, for emails that were scheduled or rescheduled without a notification. */
const SLEEP_MAX_MS = 10_000;
/** Due rows that are locked belong to another worker: wait before looking again. */
const SLEEP_MIN_MS = 50;

/**
 * Sends scheduled emails when they come due, until stopped. Any number of schedulers can work on one
 * database: if one dies before its commit, another processes the batch.
 */
export async function startScheduler({
  connection: { db, sql },
  log,
}: {
  connection: Connection;
  log: Logger;
}): Promise<RunningLoop> {
  const loop = runLoop(() => processBatch(db), {
    pauseMs: SLEEP_MAX_MS,
    retryMs: backoffMs,
    onError: (error, failures) => {
      if (failures === 1)
        log.error({ err: error }, "could not send the scheduled emails that are due; retrying");
    },
    onRecovered: () => log.info("reading scheduled emails works again"),
  });
  await onWake(sql, SCHEDULES_CHANNEL, () => loop.wake());
  return loop;
}

/** Processes one batch. Returns the time to sleep in milliseconds. */
async function processBatch(db: Db): Promise<number> {
  const untilDue = (await msUntilNextDue(db)) ?? SLEEP_MAX_MS;
  if (untilDue > 0) return Math.min(SLEEP_MAX_MS, untilDue);
  const { isFull, sent, suppressed, ended } = await processDueEmails(db);
  if (sent > 0) wakePump(db);
  if (sent + suppressed + ended > 0) wakeWebhooks(db);
  return isFull ? 0 : SLEEP_MIN_MS;
}
