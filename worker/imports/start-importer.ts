import { fork } from "node:child_process";
import { once } from "node:events";

import type { Logger } from "pino";

import { IMPORTS_CHANNEL, msUntilImportDue } from "#server/core/mailboxes/imports/import-leases.ts";
import { onWake } from "#server/core/shared/wake.ts";
import type { Connection } from "#server/db/client.ts";
import { NODE_FLAGS } from "#server/processes/node-process.ts";
import { programFile } from "#server/processes/program-file.ts";
import { type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

const MAIN = programFile("worker/imports/main.ts");
/** The longest sleep, for imports that were queued without a notification. */
const SLEEP_MAX_MS = 30_000;
/** Due imports may wait for the lease of another worker. */
const LOOK_AGAIN_MS = 2_000;

/** Starts the importer whenever an import is due, and waits for it to end. */
export async function startImporter({
  connection: { db, sql },
  log,
}: {
  connection: Connection;
  log: Logger;
}): Promise<RunningLoop> {
  const loop = runLoop(
    async (signal) => {
      const untilDue = (await msUntilImportDue(db)) ?? SLEEP_MAX_MS;
      if (untilDue > 0) return Math.min(untilDue, SLEEP_MAX_MS);
      const code = await runImporter(signal);
      if (code !== 0) log.warn({ code }, "the importer ended unexpectedly");
      return LOOK_AGAIN_MS;
    },
    {
      pauseMs: LOOK_AGAIN_MS,
      onError: (error, failures) => {
        if (failures === 1) log.warn({ err: error }, "could not run imports");
      },
    },
  );
  await onWake(sql, IMPORTS_CHANNEL, () => loop.wake());
  return loop;
}

/** @returns its exit code; null if it was killed */
async function runImporter(signal: AbortSignal): Promise<number | null> {
  // If this process is killed, the importer ends too: its IPC channel closes.
  const importer = fork(MAIN, {
    execArgv: [...NODE_FLAGS],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const stop = () => importer.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const [code] = (await once(importer, "exit")) as [number | null];
    return code;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
