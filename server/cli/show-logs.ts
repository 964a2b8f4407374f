import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";

import { config } from "#server/config.ts";
import { type HistoryEntry, readEmailHistory } from "#server/core/sending/events/email-events.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { connect } from "#server/db/client.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";
import { pause } from "#server/processes/pause.ts";

import { CommandError } from "./failures.ts";
import { installPaths } from "./install/installed-files.ts";
import { backgroundLog } from "./install/service-manager.ts";
import { findDatabase } from "./running-appliance.ts";

const LOOK_EVERY_MS = 500;
const INFO = 30;
const WARN = 40;

export type LogOptions = {
  follow: boolean;
  /** Only this email or message: its events, and the log lines that contain its ID. */
  email: string | null;
  /** `web`, `worker`, `mail`, `postgres`; null for all. */
  processes: string[] | null;
  lines: number;
  json: boolean;
};

type Output = {
  print: (line: string) => void;
  /** Stops `--follow`. */
  signal: AbortSignal;
  source: LogSource | null;
};

/** Prints the log of the appliance on this host, and for an email its events from the database too. */
export async function showLogs(
  { follow, email, processes, lines, json }: LogOptions,
  { print, signal, source }: Output,
): Promise<void> {
  const { dataFolder } = config();
  if (email !== null) requireId(email);
  else if (!source)
    throw new CommandError(
      `No service writes a log for ${dataFolder}. With Docker, run docker compose logs posthouse. ` +
        "In the foreground, posthouse start prints the log: see its terminal, or redirect its output to a file",
    );
  const show = (entries: LogEntry[]) =>
    entries.forEach((entry) => print(json ? formatJson(entry) : formatEntry(entry)));
  const matches = (entry: LogEntry, line: string) =>
    (email === null || line.includes(email)) &&
    (processes === null || processes.includes(entry.process));
  await using history = await openHistory(dataFolder, email);

  // Follow before reading the existing lines, so that none is missed in between.
  const following = follow && source ? followAdded(source, signal) : null;
  const { entries, seen } = await readNewest(source, matches, lines);
  show(byTime([...entries, ...(await history.read())]).slice(-lines));
  const readAdded = () =>
    (following?.take() ?? []).flatMap((line) => {
      const entry = parseLogLine(line, Date.now());
      return !seen.delete(line) && matches(entry, line) ? [entry] : [];
    });
  while (follow && !signal.aborted) {
    await pause(LOOK_EVERY_MS, signal);
    show([...readAdded(), ...(await history.read())]);
  }
}

const SEEN_MAX = 1_000;

/** @returns the newest entries that match, and the last lines read */
async function readNewest(
  source: LogSource | null,
  matches: (entry: LogEntry, line: string) => boolean,
  limit: number,
): Promise<{ entries: LogEntry[]; seen: Set<string> }> {
  const entries: LogEntry[] = [];
  const read: string[] = [];
  let time = 0;
  for await (const line of source ? readExisting(source) : []) {
    read.push(line);
    if (read.length > 2 * SEEN_MAX) read.splice(0, SEEN_MAX);
    const entry = parseLogLine(line, time);
    ({ time } = entry);
    if (!matches(entry, line)) continue;
    entries.push(entry);
    if (entries.length > 2 * limit) entries.splice(0, limit);
  }
  return { entries: entries.slice(-limit), seen: new Set(read.slice(-SEEN_MAX)) };
}

const byTime = (entries: LogEntry[]) => entries.toSorted((a, b) => a.time - b.time);

function requireId(email: string): void {
  if (!isUuid(email))
    throw new CommandError(
      "--email takes the ID of an email, such as 01a1fbff-8df0-7482-a0e8-4cc16f3af9af",
    );
}

type History = AsyncDisposable & { read(): Promise<LogEntry[]> };

/** Empty without an ID, or if the database isn't running, so that the log can still be read. */
async function openHistory(dataFolder: string, id: string | null): Promise<History> {
  const url = id && (config().databaseUrl ?? (await findDatabase(dataFolder)));
  if (!url)
    return { read: () => Promise.resolve([]), [Symbol.asyncDispose]: () => Promise.resolve() };
  const connection = connect(url, { max: 1 });
  const shown = new Set<string>();
  return {
    // Entries are committed in any order, so compare with all that were shown.
    async read() {
      const history = await readEmailHistory(connection.db, id);
      const added = history.filter(({ key }) => !shown.has(key));
      for (const { key } of added) shown.add(key);
      return added.map((entry) => toLogEntry(id, entry));
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

const TROUBLE = new Set(["bounced", "failed", "delivery_delayed", "delayed", "dropped"]);

const toLogEntry = (
  id: string,
  { type, recipient, dsn, reply, tls, createdAt }: HistoryEntry,
): LogEntry => ({
  time: Date.parse(createdAt),
  process: "email",
  name: "email",
  level: TROUBLE.has(type) ? WARN : INFO,
  msg: type,
  fields: {
    id,
    ...(recipient !== null && { recipient }),
    ...(dsn !== null && { dsn }),
    ...(reply !== null && { reply }),
    ...(tls !== null && { tls }),
  },
});

type ShellCommand = [command: string, ...args: string[]];

/** Commands that print the output of `posthouse start`: the existing lines, and the lines added from now on. */
export type LogSource = { existing: ShellCommand; added: ShellCommand };

const JOURNAL: ShellCommand = [
  "journalctl",
  "--unit=posthouse",
  "--unit=posthouse-webmail",
  "--unit=posthouse-calendar",
  "--output=cat",
  "--no-pager",
  "--quiet",
];

/**
 * The journal if systemd runs the service on this data folder, or the log file if install started it without systemd. Null in
 * Docker and in the foreground, where Posthouse doesn't know where its output goes.
 */
export function findLogSource(dataFolder: string, root?: string): LogSource | null {
  const { systemd, unit } = installPaths(root);
  if (existsSync(systemd) && existsSync(unit))
    if (readFileSync(unit, "utf8").includes(`ReadWritePaths=${dataFolder} `))
      return { existing: JOURNAL, added: [...JOURNAL, "--follow", "--lines=0"] };
  const file = backgroundLog(dataFolder);
  if (!existsSync(file)) return null;
  return {
    existing: ["cat", file],
    added: ["tail", "--lines=0", "--follow=name", "--retry", file],
  };
}

/** @throws CommandError if the command fails, for example because the user may not read the journal */
async function* readExisting({ existing: [command, ...args] }: LogSource) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = Promise.all([exitCodeOf(child), text(child.stderr)]);
  yield* createInterface({ input: child.stdout });
  const [code, complaint] = await ended;
  if (code !== 0)
    throw new CommandError(`The log can't be read: ${complaint.trim() || `exit code ${code}`}`);
}

/** Collects the lines that are added from now on. */
function followAdded({ added: [command, ...args] }: LogSource, signal: AbortSignal) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  signal.addEventListener("abort", () => child.kill());
  child.once("error", () => {
    // `readExisting` has failed for the same reason.
  });
  return { take: () => lines.splice(0) };
}

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
