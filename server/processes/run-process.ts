import { flushCompileCache } from "node:module";

import { createLogger } from "./logger.ts";
import { trimMemoryWhenIdle } from "./trim-memory.ts";

/** A message from a child process to its parent. */
export type ChildMessage =
  { type: "ready" } | { type: "alive" } | { type: "failed"; message: string };

/** Heartbeat interval to the parent, during the start too, which shows that the event loop runs. */
const ALIVE_EVERY_MS = 5_000;

/**
 * Longest time that stopping may take before the process ends anyway. SMTP transactions get up to 25 s of it,
 * see the worker's pump and the listeners of the mail process.
 */
const STOP_TIMEOUT_MS = 40_000;

/**
 * Runs one of the appliance's processes: starts it, reports to the parent, and stops it on SIGTERM, SIGINT or the end of
 * the parent. An uncaught error stops it with exit code 1.
 *
 * @param start returns the function that stops it
 */
export async function runProcess(
  name: string,
  start: () => Promise<() => Promise<void>>,
): Promise<void> {
  const logger = createLogger(name);
  // Without a callback, a failed send would be an uncaught error. `disconnect` reports that the parent is gone.
  const notifyParent = (message: ChildMessage) => process.send?.(message, () => {});
  const isOrphan = () => process.send !== undefined && !process.connected;
  setInterval(() => notifyParent({ type: "alive" }), ALIVE_EVERY_MS).unref();
  try {
    const stop = await start();
    let stopping = false;
    const end = (reason: string, exitCode = 0) => {
      if (stopping) return;
      stopping = true;
      logger.info({ reason }, "stopping");
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
      stop().then(
        () => process.exit(exitCode),
        (error: unknown) => {
          logger.error({ err: error }, "could not stop cleanly");
          process.exit(1);
        },
      );
    };
    process.on("SIGTERM", () => end("SIGTERM"));
    process.on("SIGINT", () => end("SIGINT"));
    process.on("disconnect", () => end("the parent process is gone"));
    if (isOrphan()) end("the parent process is gone");
    // Our own bug, or the database driver writing to a closed connection (porsager/postgres issue 1208). Finish
    // work in progress; the supervisor restarts the process.
    process.on("uncaughtException", (error) => {
      logger.fatal({ err: error }, "unexpected error");
      end("an unexpected error", 1);
    });
    notifyParent({ type: "ready" });
    logger.info("ready");
    trimMemoryWhenIdle();
    // Node.js would write it at exit only, and not if the process is killed.
    flushCompileCache();
  } catch (error) {
    logger.error({ err: error }, "could not start");
    const message = error instanceof Error ? error.message : String(error);
    // Open handles, such as pooled connections, would keep the process alive.
    const exit = () => process.exit(1);
    if (process.connected) process.send!({ type: "failed", message } satisfies ChildMessage, exit);
    else exit();
  }
}
