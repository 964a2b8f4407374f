import { CommandError } from "#server/cli/command-error.ts";
import { config } from "#server/config.ts";
import { type HistoryEntry, readEmailHistory } from "#server/core/sending/events/email-events.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { connect } from "#server/db/client.ts";
import { pause } from "#server/processes/pause.ts";

import { findDatabase } from "#server/cli/find-database.ts";
import { formatEntry, formatJson, type LogEntry, parseLogLine } from "./log-entry.ts";
import { followAdded, type LogSource, readExisting } from "./log-source.ts";

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

function toLogEntry(
  id: string,
  { type, recipient, dsn, reply, tls, createdAt }: HistoryEntry,
): LogEntry {
  return {
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
  };
}
