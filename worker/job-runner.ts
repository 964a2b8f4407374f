import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";

import { Logger as QueueLogger, run, type Runner, type WorkerEvents } from "graphile-worker";
import type { Logger } from "pino";

import type { Db } from "#server/db/client.ts";
import { JOBS_AT_ONCE } from "#server/jobs/catalogue.ts";
import { unlockJobsOfDeadRunners } from "#server/jobs/enqueue.ts";
import { type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

import { crontab } from "./crontab.ts";
import { taskList } from "./tasks.ts";

/** Just below the 10 s after which the pool of `pg` would close the connection, so that each poll would open one. */
const POLL_MS = 9_000;
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
export function startJobRunner(options: Options): RunningLoop {
  const running = runLoop((signal) => runQueue(options, signal), {
    pauseMs: RESTART_AFTER_MS,
    onError: (error) => options.log.error({ err: error }, "The job queue stopped"),
  });
  const unlocking = runLoop(() => unlock(options), {
    pauseMs: UNLOCK_EVERY_MS,
    firstPauseMs: UNLOCK_EVERY_MS,
    onError: (error) => options.log.warn({ err: error }, "could not unlock jobs of killed workers"),
  });
  return {
    async stop() {
      await Promise.all([running.stop(), unlocking.stop()]);
    },
  };
}

async function runQueue(options: Options, signal: AbortSignal): Promise<void> {
  await unlock(options);
  const runner = await start(options);
  await untilEnded(runner, signal);
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
    // One query finds jobs for all slots, instead of one query per slot. It finds retries; new jobs are announced.
    preset: {
      worker: { pollInterval: POLL_MS, localQueue: { size: JOBS_AT_ONCE, ttl: 10_000 } },
    },
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
