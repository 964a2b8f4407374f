import type { Display } from "#server/cli/display.mjs";
import {
  describeExit,
  lastWords,
  type StartRun,
  supervise,
  type Supervised,
} from "#server/processes/supervise.ts";

import { childLog } from "./child-log.ts";

/** Supervises the appliance's processes and handles their log lines. */
export type Parts = {
  /** Starts a process and restarts it when it exits; reports both on the terminal. */
  keep(name: string, start: StartRun, options?: KeepOptions): Supervised;
  /** Handles the log lines of a process. */
  log(name: string): (line: string, stream?: "stdout" | "stderr") => void;
  /** Stops everything. Postgres stops last, since the others need it to finish their work. */
  stop(): Promise<void>;
};

type KeepOptions = {
  /** Called when the shutdown begins, while the process still serves. Not awaited. */
  onStopping?: () => Promise<void>;
};

/** @param isShort whether standard output gets no log lines as JSON, even if it isn't a terminal */
export function partsOf(display: Display, { isShort = false }: { isShort?: boolean } = {}): Parts {
  const kept = new Map<string, Supervised & KeepOptions>();
  return {
    keep(name, start, options) {
      const part = supervise({
        start,
        onDown(exit, restartInMs) {
          const words = lastWords(exit.lastLines);
          display.failure(
            `${name} ended (${describeExit(exit)}); restarting it in ${restartInMs / 1000} s` +
              (words ? `. Last output: ${words}` : ""),
          );
        },
        onUp: () => display.line(`${display.green("✓")} ${name} is running again`),
      });
      kept.set(name, { ...part, ...options });
      return part;
    },
    log(name) {
      const take = childLog({
        name,
        show: (text, isError) => (isError ? display.failure(text) : display.warning(text)),
        pass: display.isLive || isShort ? null : (line) => void process.stdout.write(`${line}\n`),
      });
      return (line, stream = "stdout") => take(line, stream);
    },
    async stop() {
      for (const part of kept.values())
        if (part.pid() !== null)
          part.onStopping?.().catch(() => {
            // An optimization, so failures don't matter.
          });
      const postgres = kept.get("postgres");
      const others = [...kept.values()].filter((part) => part !== postgres);
      await Promise.all(others.map((part) => part.stop()));
      await postgres?.stop();
    },
  };
}
