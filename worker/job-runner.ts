import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

import { Logger as QueueLogger, run, type Runner, type WorkerEvents } from "graphile-worker";
import type { Logger } from "pino";

import type { Db } from "#server/db/client.ts";
import { unlockJobsOfDeadRunners } from "#server/jobs/unlock-jobs.ts";

import { crontab } from "./crontab.ts";
import { taskList } from "./tasks/index.ts";

const JOBS_AT_ONCE = 4;
const RESTART_AFTER_MS = 2_000;
const UNLOCK_EVERY_MS = 10_000;
/** Lets Postgres detect an unreachable host within 30 s; its default is two hours. */
const KEEPALIVE =
  "-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3";

type Options = { url: string; db: Db; log: Logger };

/**
 * Runs the job queue until stopped. graphile-worker exits after repeated database errors, so it is
 * restarted for as long as needed.
 */
export function startJobRunner(options: Options): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const working = Promise.all([keepRunning(options, signal), keepUnlocking(options, signal)]);
  return {
    async stop() {
      stopped.abort();
      await working;
    },
  };
}

async function keepRunning(options: Options, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await unlock(options);
      const runner = await start(options);
      await untilEnded(runner, signal);
    } catch (error) {
      options.log.error({ err: error }, "The job queue stopped");
    }
    await delay(RESTART_AFTER_MS, null, { signal }).catch(() => null);
  }
}

async function keepUnlocking(options: Options, signal: AbortSignal): Promise<void> {
  for (;;) {
    await delay(UNLOCK_EVERY_MS, null, { signal }).catch(() => null);
    if (signal.aborted) return;
    await unlock(options).catch((err: unknown) =>
      options.log.warn({ err }, "could not unlock jobs of killed workers"),
    );
  }
}

async function unlock({ db, log }: Options): Promise<void> {
  const runners = await unlockJobsOfDeadRunners(db);
  if (runners.length > 0) log.info({ runners }, "unlocked jobs of killed workers");
}

async function untilEnded(runner: Runner, signal: AbortSignal): Promise<void> {
  const stop = () => void runner.stop();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  await runner.promise;
  signal.removeEventListener("abort", stop);
}

function start({ url, log }: Options): Promise<Runner> {
  const name = `posthouse-jobs-${randomUUID()}`;
  const named = new URL(url);
  named.searchParams.set("application_name", name);
  const given = named.searchParams.get("options") ?? "";
  named.searchParams.set("options", `${given} ${KEEPALIVE}`.trim());
  const events: WorkerEvents = new EventEmitter();
  // Jobs are locked under the pool's id. This event comes before the pool leases any.
  events.on("pool:create", ({ workerPool }) => (workerPool.id = name));
  return run({
    connectionString: named.href,
    events,
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
