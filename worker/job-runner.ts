import { setTimeout as delay } from "node:timers/promises";

import { Logger as QueueLogger, run, type Runner } from "graphile-worker";
import type { Logger } from "pino";

import { crontab } from "./crontab.ts";
import { taskList } from "./tasks/index.ts";

const JOBS_AT_ONCE = 4;
const RESTART_AFTER_MS = 2_000;

/**
 * Runs the job queue until stopped. graphile-worker gives up when its database fails it several times
 * in a row; it is then started anew for as long as it takes.
 */
export function startJobRunner({ url, log }: { url: string; log: Logger }): {
  stop(): Promise<void>;
} {
  const stopped = new AbortController();
  const working = keepRunning({ url, log, signal: stopped.signal });
  return {
    async stop() {
      stopped.abort();
      await working;
    },
  };
}

async function keepRunning({
  signal,
  ...options
}: {
  url: string;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  while (!signal.aborted) {
    try {
      const runner = await start(options);
      await untilEnded(runner, signal);
    } catch (error) {
      options.log.error({ err: error }, "The job queue stopped");
    }
    await delay(RESTART_AFTER_MS, null, { signal }).catch(() => null);
  }
}

async function untilEnded(runner: Runner, signal: AbortSignal): Promise<void> {
  const stop = () => void runner.stop();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  await runner.promise;
  signal.removeEventListener("abort", stop);
}

function start({ url, log }: { url: string; log: Logger }): Promise<Runner> {
  return run({
    connectionString: url,
    concurrency: JOBS_AT_ONCE,
    maxPoolSize: JOBS_AT_ONCE + 1,
    noHandleSignals: true,
    taskList,
    parsedCronItems: crontab,
    logger: new QueueLogger(() => (level, message) => {
      const important = level === "error" || level === "warning";
      log[important ? "warn" : "debug"]({ part: "job queue" }, message);
    }),
  });
}
