import type { Display } from "#server/cli/display.mjs";
import {
  describeExit,
  lastWords,
  type StartRun,
  supervise,
  type Supervised,
} from "#server/processes/supervise.ts";

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

/** Pino's log levels. */
const INFO = 30;

const WARN = 40;
const ERROR = 50;

type Entry = { level: number; msg: string; line: string };

/**
 * Handles the log lines of one process. A terminal shows warnings and errors as short lines; a pipe or file, such as the journal,
 * gets every line as JSON.
 *
 * @param show prints a short line to the terminal
 * @param pass prints a line of JSON to the pipe; null in a terminal
 */
function childLog({
  name,
  show,
  pass,
}: {
  name: string;
  show: (text: string, isError: boolean) => void;
  pass: ((line: string) => void) | null;
}): (line: string, stream: "stdout" | "stderr") => void {
  return (line, stream) => {
    const entry = readEntry(name, line, stream);
    if (pass) pass(entry.line);
    else if (entry.level >= WARN) show(`${name}: ${entry.msg}`, entry.level >= ERROR);
  };
}

/** Parses a line written by pino; wraps any other line, as a warning if it came on stderr. */
function readEntry(name: string, line: string, stream: "stdout" | "stderr"): Entry {
  const parsed = parseObject(line);
  if (parsed && typeof parsed.level === "number") {
    const message = [parsed.msg, reasonIn(parsed.err)].filter((part) => typeof part === "string");
    return {
      level: parsed.level,
      msg: message.join(": ") || line,
      line: `{"process":${JSON.stringify(name)},${line.slice(1)}`,
    };
  }
  const level = stream === "stderr" ? WARN : INFO;
  return {
    level,
    msg: line,
    line: JSON.stringify({ process: name, level, time: Date.now(), msg: line }),
  };
}

function reasonIn(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  return String(error.message);
}

function parseObject(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that looks like JSON but isn't is treated as text.
    return null;
  }
}
