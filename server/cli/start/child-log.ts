import { openLogFile } from "#server/processes/log-file.ts";

/** Pino's log levels. */
const INFO = 30;
const WARN = 40;
const ERROR = 50;

type Entry = { level: number; msg: string; line: string };

/**
 * Handles the log lines of one process: writes all of them to its file. A terminal shows warnings and errors as
 * short lines; a pipe, which a log collector may read, gets every line as JSON.
 *
 * @param show prints a short line to the terminal
 * @param pass prints a line of JSON to the pipe; null in a terminal
 */
export function childLog({
  name,
  file,
  show,
  pass,
}: {
  name: string;
  file: string;
  show: (text: string, isError: boolean) => void;
  pass: ((line: string) => void) | null;
}): (line: string, stream: "stdout" | "stderr") => void {
  const log = openLogFile(file, (reason) =>
    show(`${name}: dropping log lines until ${file} can be written (${reason})`, true),
  );
  return (line, stream) => {
    const entry = readEntry(name, line, stream);
    log.append(entry.line);
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
      line: "name" in parsed ? line : JSON.stringify({ name, ...parsed }),
    };
  }
  const level = stream === "stderr" ? WARN : INFO;
  return { level, msg: line, line: JSON.stringify({ name, level, time: Date.now(), msg: line }) };
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
