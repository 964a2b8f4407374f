import { styleText } from "node:util";

/** A line of the log, or an event of an email. */
export type LogEntry = {
  /** Milliseconds since 1970. */
  time: number;
  /** `web`, `worker`, `mail` or `postgres`; `posthouse` for the supervisor. */
  process: string;
  /** The part of the process that wrote it. */
  name: string;
  /** Pino's levels: 30 information, 40 warning, 50 error, 60 fatal. */
  level: number;
  msg: string;
  /** Everything else in the line. */
  fields: Record<string, unknown>;
};

const INFO = 30;
const WARN = 40;
const ERROR = 50;

/**
 * Parses a line that `posthouse start` printed: JSON from a process, or the supervisor's own text.
 *
 * @param time used for a line without a time
 */
export function parseLogLine(line: string, time: number): LogEntry {
  const parsed = parseObject(line);
  if (!parsed || typeof parsed.time !== "number")
    return { time, process: "posthouse", name: "posthouse", level: INFO, msg: line, fields: {} };
  const { time: at, process, level, name, msg, ...fields } = parsed;
  const from = typeof process === "string" ? process : "posthouse";
  return {
    time: at,
    process: from,
    name: typeof name === "string" ? name : from,
    level: typeof level === "number" ? level : INFO,
    msg: typeof msg === "string" ? msg : "",
    fields,
  };
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** For a terminal: local time, part, message and fields; errors with their reason. */
export function formatEntry({ time, name, level, msg, fields }: LogEntry): string {
  const { err, ...rest } = fields;
  const details = Object.entries(rest).map(([key, value]) => `${key}=${formatValue(value)}`);
  const reason = reasonIn(err);
  const text = [msg, ...(reason ? [reason] : [])].join(": ");
  // Log lines contain what clients and mail servers sent: no control characters for the terminal.
  const line = [formatTime(time), name.padEnd(10), text, ...details]
    .join(" ")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
  if (level >= ERROR) return styleText("red", line);
  return level >= WARN ? styleText("yellow", line) : line;
}

/** As written: one object per line. */
export const formatJson = ({ fields, ...entry }: LogEntry): string =>
  JSON.stringify({ ...entry, ...fields });

const formatValue = (value: unknown) =>
  typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);

function reasonIn(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  return String(error.message);
}

function formatTime(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 23).replace("T", " ");
}
