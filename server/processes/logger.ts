import { destination, pino, type Logger } from "pino";

import { loggableError } from "./loggable-error.ts";

/** Lines are written in blocks: at this many bytes, else after so long, and when the process ends. */
const BLOCK_BYTES = 4096;
const FLUSH_MS = 50;

type Output = { write(line: string): void; flushSync(): void };

let output: Output | undefined;

/** The log of one process or part: JSON lines on standard output. Bodies, secrets and recipients never go in. */
export function createLogger(name: string): Logger {
  return pino(
    {
      base: { name },
      redact: ["authorization", "password", "token", "cookie"],
      serializers: { err: loggableError },
    },
    (output ??= standardOutput()),
  );
}

/** One for all loggers of a process, so that their lines keep their order. */
function standardOutput(): Output {
  const stream = destination({ dest: 1, sync: false, minLength: BLOCK_BYTES });
  let flushing: NodeJS.Timeout | undefined;
  const flush = () => {
    flushing = undefined;
    // While a block is being written a flush does nothing but tell when that is done: then once more.
    stream.flush(() => stream.flush());
  };
  return {
    write(line) {
      stream.write(line);
      flushing ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flushSync: () => stream.flushSync(),
  };
}
