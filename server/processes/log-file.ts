import { appendFileSync, closeSync, constants, lstatSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { droppedLinesEntry } from "./dropped-lines.ts";
import { createFolder, openFolder, openNoFollow } from "./open-no-follow.ts";

const SIZE_MAX_BYTES = 10 * 1024 * 1024;
const KEPT_FILES = 3;

/** A log file that rotates at 10 MB to `<file>.1` and keeps three old files. */
export type LogFile = {
  /** Never throws: while the file can't be written, lines are dropped and counted. */
  append(line: string): void;
};

/**
 * Opens a log file for appending. Creates a missing folder, even if it disappears later. After a failure,
 * the first line that can be written is preceded by the number of dropped lines.
 *
 * @param onProblem called with the reason when lines start being dropped
 */
export function openLogFile(file: string, onProblem: (reason: string) => void = () => {}): LogFile {
  let dropped = 0;
  let size: number | null = null;

  const write = (text: string) => {
    size ??= sizeOf(file);
    const bytes = Buffer.from(text);
    if (size > 0 && size + bytes.length > SIZE_MAX_BYTES) {
      rotate(file);
      size = 0;
    }
    appendToFile(file, bytes);
    size += bytes.length;
  };
  return {
    append(line) {
      // A failed write may have left a partial line, so start a new one.
      const report = dropped > 0 ? `\n${droppedLinesEntry(dropped, basename(file, ".log"))}\n` : "";
      try {
        write(`${report}${line}\n`);
        dropped = 0;
      } catch (error) {
        size = null;
        if (++dropped === 1) onProblem(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

const sizeOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

function appendToFile(file: string, bytes: Buffer): void {
  const fd = openForAppending(file);
  try {
    appendFileSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

function openForAppending(file: string): number {
  const { O_WRONLY, O_CREAT, O_APPEND } = constants;
  const open = () => openNoFollow(file, O_WRONLY | O_CREAT | O_APPEND, 0o640);
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    createFolder(dirname(file), { mode: 0o755 });
    return open();
  }
}

function rotate(file: string): void {
  using folder = openFolder(dirname(file));
  const path = join(folder.path, basename(file));
  for (let number = KEPT_FILES - 1; number >= 0; number--) {
    const from = number === 0 ? path : `${path}.${number}`;
    if (lstatSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number + 1}`);
  }
}
