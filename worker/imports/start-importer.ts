import { fork } from "node:child_process";
import { once } from "node:events";

import type { Logger } from "pino";

import { hasDueImports } from "#server/core/mailboxes/imports/import-leases.ts";
import type { Db } from "#server/db/client.ts";
import { NODE_FLAGS } from "#server/processes/node-process.ts";
import { programFile } from "#server/processes/program-file.ts";
import { type RunningLoop, runLoop } from "#server/processes/run-loop.ts";

const MAIN = programFile("worker/imports/main.ts");
const LOOK_EVERY_MS = 2_000;

/** Starts the importer whenever an import is due, and waits for it to end. */
export function startImporter({ db, log }: { db: Db; log: Logger }): RunningLoop {
  return runLoop(
    async (signal) => {
      if (!(await hasDueImports(db))) return;
      const code = await runImporter(signal);
      if (code !== 0) log.warn({ code }, "the importer ended unexpectedly");
    },
    {
      pauseMs: LOOK_EVERY_MS,
      onError: (error, failures) => {
        if (failures === 1) log.warn({ err: error }, "could not run imports");
      },
    },
  );
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
