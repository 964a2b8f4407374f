import { Worker } from "node:worker_threads";

import type { Reading } from "./read-incoming.ts";

const HEAP_MB_MAX = 384;
// The largest legitimate report takes a second of one core.
const READ_TIMEOUT_MS = 30_000;

type Waiting = {
  message: Buffer;
  isUrgent: boolean;
  resolve: (reading: Reading) => void;
  reject: (error: unknown) => void;
};

/** The thread works on the first one. */
const waiting: Waiting[] = [];
let thread: Worker | null = null;
let deadline: NodeJS.Timeout | undefined;

/**
 * Runs `readIncoming` in a worker thread, one message at a time, because messages can be crafted to cost time and
 * memory. A message that exceeds the limits counts as empty, and a new thread takes over. Urgent messages go first,
 * so that flooding a public address doesn't delay those to addresses that can't be guessed.
 *
 * @throws Error if the thread can't be started
 */
export function readInThread(message: Buffer, { isUrgent = false } = {}): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const next = waiting.findIndex((other, place) => place > 0 && isUrgent && !other.isUrgent);
    waiting.splice(next < 0 ? waiting.length : next, 0, { message, isUrgent, resolve, reject });
    if (waiting.length === 1) readNext();
  });
}

function readNext(): void {
  const [next] = waiting;
  if (!next) return thread?.unref();
  try {
    thread ??= startThread();
  } catch (error) {
    waiting.shift();
    next.reject(error);
    return readNext();
  }
  thread.ref();
  thread.postMessage(next.message);
  const reader = thread;
  deadline = setTimeout(() => {
    // Ignore a late result, so that the next message isn't posted to a terminating thread.
    reader.removeAllListeners("message");
    void reader.terminate();
  }, READ_TIMEOUT_MS);
}

function startThread(): Worker {
  const started = new Worker(new URL("./internal/reader-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  started.on("message", (reading: Reading) => finishCurrent(reading));
  // The exit event follows.
  started.on("error", () => {});
  started.on("exit", () => {
    thread = null;
    finishCurrent({ kind: "nothing", why: "Parsing it takes too much time or memory" });
  });
  return started;
}

function finishCurrent(reading: Reading): void {
  clearTimeout(deadline);
  waiting.shift()?.resolve(reading);
  readNext();
}
