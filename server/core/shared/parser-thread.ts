import { parentPort, Worker } from "node:worker_threads";

const HEAP_MB_MAX = 384;

type Waiting<Result> = {
  message: Buffer;
  details: unknown;
  isUrgent: boolean;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

type Slot<Result> = {
  thread: Worker | null;
  parsing: Waiting<Result> | null;
  deadline?: NodeJS.Timeout;
};

/**
 * The script of a thread: sends back what `parse` returns for each message. An error ends the thread.
 *
 * @param parse gets the `details` of the call as they were given
 */
export function parseInThread(parse: (message: Buffer, details: never) => unknown): void {
  const answer = async ({ message, details }: { message: Uint8Array; details: never }) => {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    parentPort!.postMessage(await parse(bytes, details));
  };
  parentPort!.on("message", (task: Parameters<typeof answer>[0]) => void answer(task));
}

/**
 * Parses messages in worker threads, each one at a time, because messages can be crafted to cost time and memory. A new
 * thread takes over from one that exceeded the limits.
 */
export class ParserThread<Result, Details = undefined> {
  readonly #script: string;
  readonly #timeoutMs: number;
  readonly #onExceeded: () => Result;
  readonly #waiting: Waiting<Result>[] = [];
  readonly #slots: Slot<Result>[];

  /**
   * @param options.onExceeded the result for a message that exceeds the limits
   * @param options.threads how many may run; each starts when the others are busy
   */
  constructor(
    script: string,
    {
      timeoutMs,
      onExceeded,
      threads = 1,
    }: { timeoutMs: number; onExceeded: () => Result; threads?: number },
  ) {
    this.#script = script;
    this.#timeoutMs = timeoutMs;
    this.#onExceeded = onExceeded;
    this.#slots = Array.from({ length: threads }, () => ({ thread: null, parsing: null }));
  }

  /**
   * Urgent messages go first.
   *
   * @param options.details passed to the script with the message
   * @throws Error if the thread can't be started
   */
  parse(
    message: Buffer,
    { isUrgent = false, details }: { isUrgent?: boolean; details?: Details } = {},
  ): Promise<Result> {
    const waiting = this.#waiting;
    return new Promise((resolve, reject) => {
      const next = isUrgent ? waiting.findIndex((other) => !other.isUrgent) : -1;
      const task = { message, details, isUrgent, resolve, reject };
      waiting.splice(next < 0 ? waiting.length : next, 0, task);
      this.#parseNext();
    });
  }

  #parseNext(): void {
    while (this.#waiting.length > 0) {
      const free = this.#slots.filter(({ parsing }) => parsing === null);
      const slot = free.find(({ thread }) => thread !== null) ?? free[0];
      if (!slot) return;
      this.#parse(this.#waiting.shift()!, slot);
    }
  }

  #parse(next: Waiting<Result>, slot: Slot<Result>): void {
    try {
      slot.thread ??= this.#start(slot);
    } catch (error) {
      return next.reject(error);
    }
    const { thread } = slot;
    slot.parsing = next;
    thread.ref();
    // Copied once: the thread owns the copy, and the caller keeps the message.
    const copy = new Uint8Array(next.message);
    thread.postMessage({ message: copy, details: next.details }, [copy.buffer]);
    slot.deadline = setTimeout(() => {
      // Ignore a late result, so that the next message isn't posted to a terminating thread.
      thread.removeAllListeners("message");
      void thread.terminate();
    }, this.#timeoutMs);
  }

  #start(slot: Slot<Result>): Worker {
    const started = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    started.on("message", (result: Result) => this.#finish(slot, result));
    // The exit event follows.
    started.on("error", () => {});
    started.on("exit", () => {
      slot.thread = null;
      this.#finish(slot, this.#onExceeded());
    });
    return started;
  }

  #finish(slot: Slot<Result>, result: Result): void {
    clearTimeout(slot.deadline);
    slot.thread?.unref();
    slot.parsing?.resolve(result);
    slot.parsing = null;
    this.#parseNext();
  }
}
