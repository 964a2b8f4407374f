import {
  appendFileSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname } from "node:path";

import { droppedLinesEntry } from "./dropped-lines.ts";
import { openNoFollow } from "./open-no-follow.ts";

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
    mkdirSync(dirname(file), { recursive: true });
    return open();
  }
}

function rotate(file: string): void {
  rmSync(`${file}.${KEPT_FILES}`, { force: true });
  for (let number = KEPT_FILES - 1; number >= 0; number--) {
    const from = number === 0 ? file : `${file}.${number}`;
    if (lstatSync(from, { throwIfNoEntry: false })) renameSync(from, `${file}.${number + 1}`);
  }
}
