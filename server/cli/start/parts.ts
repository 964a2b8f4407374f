import { join } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import { describeExit, lastWords, type StartRun } from "#server/processes/run.ts";
import { supervise, type Supervised } from "#server/processes/supervise.ts";

import { childLog } from "./child-log.ts";

/** What runs under this supervisor: how its parts are kept alive, and where their lines go. */
export type Parts = {
  /** Starts a part and keeps it running; says on the terminal when it dies and when it is back. */
  keep(name: string, start: StartRun, options?: KeepOptions): Supervised;
  /** Takes the lines of a part. */
  log(name: string): (line: string, stream?: "stdout" | "stderr") => void;
  /** Where the lines of a part are kept. */
  logFile(name: string): string;
  /** Stops everything: Postgres, which the others need to finish their work, last. */
  stop(): Promise<void>;
};

type KeepOptions = {
  /** Called when the shutdown begins, while the part still serves. Not awaited. */
  onStopping?: () => Promise<void>;
};

/** @param logFolder one file a part, rotated */
export function partsOf(logFolder: string, display: Display): Parts {
  const kept = new Map<string, Supervised & KeepOptions>();
  const logFile = (name: string) => join(logFolder, `${name}.log`);
  return {
    logFile,
    keep(name, start, options) {
      const part = supervise({
        start,
        onDown(exit, restartInMs) {
          const words = lastWords(exit.lastLines);
          display.failure(
            `${name} ended (${describeExit(exit)}); starting it again in ${restartInMs / 1000} s. ` +
              (words ? `Its last words: ${words}. ` : "") +
              `More in ${logFile(name)}`,
          );
        },
        onUp: () => display.line(`${display.green("✓")} ${name} runs again`),
      });
      kept.set(name, { ...part, ...options });
      return part;
    },
    log(name) {
      const take = childLog({
        name,
        file: logFile(name),
        show: (text, isError) => (isError ? display.failure(text) : display.warning(text)),
        pass: display.isLive ? null : (line) => void process.stdout.write(`${line}\n`),
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
