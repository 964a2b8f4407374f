import { Worker } from "node:worker_threads";

import type { Reading } from "./read-incoming.ts";

const HEAP_MB_MAX = 384;
/** The largest honest report takes a second of one core. */
const READ_TIMEOUT_MS = 30_000;

type Waiting = {
  message: Buffer;
  isUrgent: boolean;
  resolve: (reading: Reading) => void;
  reject: (error: unknown) => void;
};

/** The first is the one that the thread works on. */
const waiting: Waiting[] = [];
let thread: Worker | null = null;
let deadline: NodeJS.Timeout | undefined;

/**
 * `readIncoming` in a thread of its own, one message after the other: what comes in may be made to
 * cost time and memory. A message that costs too much of either says nothing, and those behind it go
 * to a new thread. An urgent one goes before those that are not: who floods an address that everybody
 * knows holds up nothing at those that nobody can guess.
 *
 * @throws Error when no thread can be had
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
    // What it says from now on comes too late: the next message would be handed to a thread that ends.
    reader.removeAllListeners("message");
    void reader.terminate();
  }, READ_TIMEOUT_MS);
}

function startThread(): Worker {
  const started = new Worker(new URL("./internal/reader-worker.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  started.on("message", (reading: Reading) => finishCurrent(reading));
  // Its end says it too.
  started.on("error", () => {});
  started.on("exit", () => {
    thread = null;
    finishCurrent({ kind: "nothing", why: "reading it takes too much time or memory" });
  });
  return started;
}

function finishCurrent(reading: Reading): void {
  clearTimeout(deadline);
  waiting.shift()?.resolve(reading);
  readNext();
}
