import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import { wakePump } from "#server/core/sending/outbox/wake-pump.ts";
import { msUntilNextDue } from "#server/core/sending/schedules/next-due.ts";
import { processDueEmails } from "#server/core/sending/schedules/process-due-emails.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";
import type { Db } from "#server/db/client.ts";
import { backoffMs } from "#worker/pump/backoff.ts";

/** Emails that are scheduled or rescheduled during the sleep are noticed within this time. */
const SLEEP_MAX_MS = 1_000;
/** Due rows that are locked belong to another worker: wait before looking again. */
const SLEEP_MIN_MS = 50;

/**
 * Sends scheduled emails when they come due, until stopped. Any number of schedulers can work on one
 * database: if one dies before its commit, another processes the batch.
 */
export function startScheduler({ db, log }: { db: Db; log: Logger }): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const working = runLoop(db, log, stopped.signal);
  return {
    /** Resolves once the current batch is committed. */
    async stop() {
      stopped.abort();
      await working;
    },
  };
}

async function runLoop(db: Db, log: Logger, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const sleepMs = await processBatch(db);
      if (failures > 0) log.info("reading scheduled emails works again");
      failures = 0;
      await sleep(sleepMs, signal);
    } catch (error) {
      if (failures++ === 0)
        log.error({ err: error }, "could not send the scheduled emails that are due; retrying");
      await sleep(backoffMs(failures), signal);
    }
  }
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

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted && ms > 0) await delay(ms, null, { signal }).catch(() => null);
}
