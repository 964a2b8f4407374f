import { writeSync } from "node:fs";

/** Where log lines go. */
export type LogOutput = { write(line: string): void; flushSync(): void };

const STANDARD_OUTPUT = 1;
/** Lines are written in blocks: at this size, after this time, or when the process exits. */
const BLOCK_CHARS = 4096;
const FLUSH_MS = 50;
/** The same while the reader is slow, when each attempt copies the whole buffer. */
const SLOW_BLOCK_CHARS = 256 * 1024;
/** Buffer size for a reader that has stopped reading; beyond it, lines are dropped. */
const WAITING_MAX = 4 * 1024 * 1024;
/** Attempts at exit, 10 ms apart, while the reader is slow. */
const LAST_ATTEMPTS = 100;

/**
 * Standard output for log lines. Not pino's own destination: its last flush retries forever if the reader is gone, so that a
 * process whose parent was killed would never exit.
 *
 * Writing never throws. Lines that can't be written are dropped and counted, and the count is logged
 * once writing works again.
 */
export function standardOutput(): LogOutput {
  let lines = "";
  let waiting = Buffer.alloc(0);
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = (attempts: number) => {
    clearTimeout(timer);
    timer = undefined;
    const block = Buffer.from(lines);
    waiting = waiting.length === 0 ? block : Buffer.concat([waiting, block]);
    lines = "";
    const { rest, isBroken } = reportAndWrite(attempts);
    waiting = rest;
    if (isBroken || waiting.length > WAITING_MAX) {
      dropped += waiting.toString().split("\n").length - 1;
      waiting = Buffer.alloc(0);
    }
    if (waiting.length > 0) flushLater();
  };
  const reportAndWrite = (attempts: number) => {
    if (dropped > 0) {
      // A dropped line may have been partly written here.
      const report = writeAll(Buffer.from(`\n${droppedLinesEntry(dropped)}\n`), attempts);
      if (report.rest.length > 0) return { rest: waiting, isBroken: report.isBroken };
      dropped = 0;
    }
    return writeAll(waiting, attempts);
  };
  const flushLater = () => {
    timer ??= setTimeout(() => flush(1), FLUSH_MS).unref();
  };
  const output = {
    write(line: string) {
      lines += line;
      if (lines.length >= (waiting.length === 0 ? BLOCK_CHARS : SLOW_BLOCK_CHARS)) flush(1);
      else flushLater();
    },
    flushSync: () => flush(LAST_ATTEMPTS),
  };
  process.once("exit", () => output.flushSync());
  return output;
}

/** @returns what was not written, and whether the cause was something other than a slow reader */
function writeAll(bytes: Buffer<ArrayBuffer>, attempts: number) {
  let rest = bytes;
  for (let attempt = 0; rest.length > 0;)
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      if (!isBusy(error)) return { rest, isBroken: true };
      if (++attempt >= attempts) return { rest, isBroken: false };
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  return { rest, isBroken: false };
}

const isBusy = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "EAGAIN";

const WARN = 40;

/** The log line that stands in for dropped lines. */
const droppedLinesEntry = (count: number) =>
  JSON.stringify({
    level: WARN,
    time: Date.now(),
    msg: `${count} log ${count === 1 ? "line was" : "lines were"} dropped because the log could not be written`,
  });
