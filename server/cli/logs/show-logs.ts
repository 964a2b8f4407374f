import { join } from "node:path";

import { CommandError } from "#server/cli/command-error.ts";
import { config } from "#server/config.ts";
import {
  type HistoryEntry,
  readEmailHistory,
} from "#server/core/sending/events/read-email-history.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { connect } from "#server/db/client.ts";
import { pause } from "#server/processes/pause.ts";

import { findDatabase } from "#server/cli/find-database.ts";
import { formatEntry, formatJson, type LogEntry } from "./log-entry.ts";
import { LogFiles } from "./log-files.ts";

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

/**
 * Prints the logs of this host's data folder, and for an email its events from the database too.
 *
 * @param signal ends following
 */
export async function showLogs(
  { follow, email, processes, lines, json }: LogOptions,
  { print, signal }: { print: (line: string) => void; signal: AbortSignal },
): Promise<void> {
  const { dataFolder } = config();
  const folder = join(dataFolder, "logs");
  const files = new LogFiles(folder, processes);
  if (email !== null) requireId(email);
  else if ((await files.listProcesses()).length === 0)
    throw new CommandError(
      `There are no logs in ${folder}. Set POSTHOUSE_DATA, or start the appliance`,
    );
  const show = (entries: LogEntry[]) =>
    entries.forEach((entry) => print(json ? formatJson(entry) : formatEntry(entry)));
  const matches = (line: string) => email === null || line.includes(email);
  await using history = await openHistory(dataFolder, email);

  const first = [...(await files.readExisting(matches, lines)), ...(await history.read())];
  show(first.toSorted((a, b) => a.time - b.time).slice(-lines));
  while (follow && !signal.aborted) {
    await pause(LOOK_EVERY_MS, signal);
    show([...(await files.readAdded(matches)), ...(await history.read())]);
  }
}

function requireId(email: string): void {
  if (!isUuid(email))
    throw new CommandError(
      "--email takes the ID of an email, such as 01a1fbff-8df0-7482-a0e8-4cc16f3af9af",
    );
}

type History = AsyncDisposable & { read(): Promise<LogEntry[]> };

/** Empty without an ID, and if no database runs: the log files can be read anyway. */
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
