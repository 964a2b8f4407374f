import { createReadStream } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { type LogEntry, parseLogLine } from "./log-entry.ts";

/** The rotated files of a log, oldest first, and the current one (server/processes/log-file.ts). */
const SUFFIXES = [".3", ".2", ".1", ""];
const READ_BYTES_MAX = 1024 * 1024;

/** Where the next read of a log starts. */
type Position = { inode: number; offset: number };

/** Reads the logs of a data folder: first what is there, then what is added, also across rotation. */
export class LogFiles {
  readonly #folder: string;
  readonly #processes: string[] | null;
  readonly #positions = new Map<string, Position>();

  /** @param processes the logs to read; null for all */
  constructor(folder: string, processes: string[] | null) {
    this.#folder = folder;
    this.#processes = processes;
  }

  /** The newest `limit` entries that match, in the order of their times. */
  async readExisting(matches: (line: string) => boolean, limit: number): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (const process of await this.listProcesses()) {
      const newest: LogEntry[] = [];
      for (const suffix of SUFFIXES)
        for await (const line of this.#lines(process, suffix)) {
          if (!matches(line)) continue;
          const entry = parseLogLine(line, process);
          if (!entry) continue;
          newest.push(entry);
          if (newest.length > 2 * limit) newest.splice(0, limit);
        }
      entries.push(...newest.slice(-limit));
    }
    return byTime(entries).slice(-limit);
  }

  /** The entries that were added since the last read. */
  async readAdded(matches: (line: string) => boolean): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (const process of await this.listProcesses())
      for (const line of await this.#addedLines(process)) {
        const entry = matches(line) ? parseLogLine(line, process) : null;
        if (entry) entries.push(entry);
      }
    return byTime(entries);
  }

  /** The processes that have a log, or those of them that were asked for. */
  async listProcesses(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = names.flatMap((name) => /^(.+)\.log$/.exec(name)?.[1] ?? []).toSorted();
    return found.filter((name) => this.#processes?.includes(name) ?? true);
  }

  async *#lines(process: string, suffix: string): AsyncGenerator<string> {
    const file = this.#file(process, suffix);
    const found = await stat(file).catch(() => null);
    if (!found) return;
    if (suffix === "") this.#positions.set(process, { inode: found.ino, offset: found.size });
    if (found.size === 0) return;
    // Up to the position from which added lines are read.
    yield* createInterface({ input: createReadStream(file, { end: found.size - 1 }) });
  }

  async #addedLines(process: string): Promise<string[]> {
    const current = await stat(this.#file(process, "")).catch(() => null);
    if (!current) return [];
    const known = this.#positions.get(process);
    if (known?.inode === current.ino) return this.#readFrom(process, "", { ...known });
    const rest = known ? await this.#restOfRotated(process, known) : [];
    const added = await this.#readFrom(process, "", { inode: current.ino, offset: 0 });
    return [...rest, ...added];
  }

  /** What was added to the former current file before it was rotated. */
  async #restOfRotated(process: string, known: Position): Promise<string[]> {
    const rotated = await stat(this.#file(process, ".1")).catch(() => null);
    return rotated?.ino === known.inode ? this.#readFrom(process, ".1", known) : [];
  }

  /** Reads whole lines from the position and moves it. */
  async #readFrom(process: string, suffix: string, { inode, offset }: Position): Promise<string[]> {
    const handle = await open(this.#file(process, suffix));
    try {
      const lines: string[] = [];
      const buffer = Buffer.alloc(READ_BYTES_MAX);
      let at = offset;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, READ_BYTES_MAX, at);
        const end = buffer.subarray(0, bytesRead).lastIndexOf("\n");
        // A longer line than the buffer is skipped.
        if (end === -1 && bytesRead < READ_BYTES_MAX) break;
        if (end !== -1) lines.push(...buffer.toString("utf8", 0, end).split("\n"));
        at += end === -1 ? bytesRead : end + 1;
      }
      this.#positions.set(process, { inode, offset: at });
      return lines;
    } finally {
      await handle.close();
    }
  }

  #file(process: string, suffix: string): string {
    return join(this.#folder, `${process}.log${suffix}`);
  }
}

const byTime = (entries: LogEntry[]) => entries.toSorted((a, b) => a.time - b.time);
