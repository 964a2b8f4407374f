import { openLogFile } from "#server/processes/log-file.ts";

/** The levels of pino's lines that matter here. */
const INFO = 30;
const WARN = 40;
const ERROR = 50;

type Entry = { level: number; msg: string; line: string };

/**
 * Takes the log lines of one part: all of them go to its file. A person at the terminal sees warnings
 * and errors as short lines; a collector behind a pipe gets every line, as JSON.
 *
 * @param show a short line for a person
 * @param pass a line of JSON for a collector; null where a person watches
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

/** A line as pino writes it; anything else becomes one, a warning when it came on stderr. */
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
    // A line that only looks like JSON is text.
    return null;
  }
}
