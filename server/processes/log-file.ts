import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

const SIZE_MAX_BYTES = 10 * 1024 * 1024;
const KEPT_FILES = 3;

/** A log of lines: at 10 MB it becomes `<file>.1`, and three old ones are kept. */
export type LogFile = { append(line: string): void };

/** Opens the log for appending, in a folder that is made when it is missing. */
export function openLogFile(file: string): LogFile {
  mkdirSync(dirname(file), { recursive: true });
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    append(line) {
      const bytes = Buffer.from(`${line}\n`);
      if (size > 0 && size + bytes.length > SIZE_MAX_BYTES) {
        rotate(file);
        size = 0;
      }
      appendFileSync(file, bytes, { mode: 0o640 });
      size += bytes.length;
    },
  };
}

function rotate(file: string): void {
  rmSync(`${file}.${KEPT_FILES}`, { force: true });
  for (let number = KEPT_FILES - 1; number >= 0; number--) {
    const from = number === 0 ? file : `${file}.${number}`;
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${file}.${number + 1}`);
  }
}
