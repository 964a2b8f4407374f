import type { Logger } from "pino";

import type { Config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import { describeExit, supervise, type Supervised } from "#server/processes/supervise.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { startRspamd } from "./start-rspamd.ts";

const LOOK_EVERY_MS = 5_000;
/** Retry delay after a failed first start. */
const RETRY_MS = 60_000;

/**
 * Runs a private rspamd while the setting `rspamd_url` is `own`. Mail doesn't wait for it: until it scans,
 * only SPF, DKIM and DMARC are checked.
 *
 * @returns a function that stops it
 */
export function runRspamd(
  db: Db,
  settings: Pick<Config, "dataFolder" | "dnsServers">,
  { log, lookEveryMs = LOOK_EVERY_MS }: { log: Logger; lookEveryMs?: number },
): () => Promise<void> {
  let isStopping = false;
  let running: Supervised | null = null;
  let notBefore = 0;

  function start(): Supervised {
    const started = supervise({
      start: (signal) => startRspamd(settings, { log, signal }),
      onDown: (exit, restartInMs) =>
        log.error(
          { lastLines: exit.lastLines },
          `rspamd ended (${describeExit(exit)}), restarting in ${restartInMs} ms`,
        ),
      onUp: () => log.info("rspamd is running again"),
    });
    started.started.then(
      () => log.info("rspamd is scanning incoming mail"),
      (error: unknown) => {
        if (isStopping || running !== started) return;
        log.error({ err: error }, "rspamd failed to start");
        running = null;
        notBefore = performance.now() + RETRY_MS;
      },
    );
    return started;
  }

  async function applySetting(): Promise<void> {
    const isWanted = (await currentSettings(db)).rspamd_url === "own";
    if (isWanted && !running && performance.now() >= notBefore) running = start();
    if (isWanted || !running) return;
    const ended = running;
    running = null;
    await ended.stop();
    log.info("rspamd stopped");
  }

  const watching = runLoop(applySetting, {
    pauseMs: lookEveryMs,
    ref: false,
    onError: (error) => log.warn({ err: error }, "could not read the rspamd settings"),
  });
  return async () => {
    isStopping = true;
    await watching.stop();
    await running?.stop();
  };
}
