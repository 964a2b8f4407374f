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
export function childLog({
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
