import { createLogger } from "./logger.ts";

/** What a child tells the process that started it. */
export type ChildMessage = { type: "ready" } | { type: "failed"; message: string };

/** Longest time that stopping may take before the process ends anyway. */
const STOP_TIMEOUT_MS = 8_000;

/**
 * The life of one of the appliance's processes: start, tell the parent, run until SIGTERM, SIGINT or
 * the parent's death, stop.
 *
 * @param start returns what stops it again
 */
export async function runProcess(
  name: string,
  start: () => Promise<() => Promise<void>>,
): Promise<void> {
  const logger = createLogger(name);
  const tell = (message: ChildMessage) => process.send?.(message);
  try {
    const stop = await start();
    let stopping = false;
    const end = (reason: string) => {
      if (stopping) return;
      stopping = true;
      logger.info({ reason }, "stopping");
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, "could not stop cleanly");
          process.exit(1);
        },
      );
    };
    process.on("SIGTERM", () => end("SIGTERM"));
    process.on("SIGINT", () => end("SIGINT"));
    process.on("disconnect", () => end("the parent process is gone"));
    tell({ type: "ready" });
    logger.info("ready");
  } catch (error) {
    logger.error({ err: error }, "could not start");
    tell({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  }
}
