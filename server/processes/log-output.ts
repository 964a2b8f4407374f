import { writeSync } from "node:fs";

/** Where log lines go. */
export type LogOutput = { write(line: string): void; flushSync(): void };

const STANDARD_OUTPUT = 1;
/** Lines are written in blocks: at this many characters, else after so long, and when the process ends. */
const BLOCK_CHARS = 4096;
const FLUSH_MS = 50;
/** What a reader that stands still may leave waiting, in octets; beyond it lines are lost. */
const WAITING_MAX = 4 * 1024 * 1024;
/** How often the end of the process tries again where the reader is slow, 10 ms apart. */
const LAST_ATTEMPTS = 100;

/**
 * Standard output for log lines. Written by us and not by pino's own destination, whose last flush tries
 * for ever when the reader is gone: a process whose parent was killed would never end.
 */
export function standardOutput(): LogOutput {
  let lines = "";
  let waiting = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;

  const flush = (attempts: number) => {
    clearTimeout(timer);
    timer = undefined;
    waiting = Buffer.concat([waiting, Buffer.from(lines)]);
    lines = "";
    waiting = writeAll(waiting, attempts);
    if (waiting.length > WAITING_MAX) waiting = Buffer.alloc(0);
    if (waiting.length > 0) flushLater();
  };
  const flushLater = () => {
    timer ??= setTimeout(() => flush(1), FLUSH_MS).unref();
  };
  const output = {
    write(line: string) {
      lines += line;
      if (lines.length >= BLOCK_CHARS) flush(1);
      else flushLater();
    },
    flushSync: () => flush(LAST_ATTEMPTS),
  };
  process.once("exit", () => output.flushSync());
  return output;
}

/** @returns what could not be written yet. Without a reader that is nothing: nobody will ever read it. */
function writeAll(bytes: Buffer<ArrayBuffer>, attempts: number): Buffer<ArrayBuffer> {
  let rest = bytes;
  for (let attempt = 0; rest.length > 0;)
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      if (!isBusy(error)) return Buffer.alloc(0);
      if (++attempt >= attempts) return rest;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  return rest;
}

const isBusy = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "EAGAIN";
