import { Worker } from "node:worker_threads";

const HEAP_MB_MAX = 384;

type Waiting<Result> = {
  message: Buffer;
  isUrgent: boolean;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Parses messages in a worker thread, one at a time, because messages can be crafted to cost time and memory. A new
 * thread takes over from one that exceeded the limits.
 */
export class ParserThread<Result> {
  readonly #script: string;
  readonly #timeoutMs: number;
  readonly #onExceeded: () => Result;
  /** The thread works on the first one. */
  readonly #waiting: Waiting<Result>[] = [];
  #thread: Worker | null = null;
  #deadline: NodeJS.Timeout | undefined;

  /** @param options.onExceeded the result for a message that exceeds the limits */
  constructor(
    script: string,
    { timeoutMs, onExceeded }: { timeoutMs: number; onExceeded: () => Result },
  ) {
    this.#script = script;
    this.#timeoutMs = timeoutMs;
    this.#onExceeded = onExceeded;
  }

  /**
   * Urgent messages go first.
   *
   * @throws Error if the thread can't be started
   */
  parse(message: Buffer, { isUrgent = false } = {}): Promise<Result> {
    const waiting = this.#waiting;
    return new Promise((resolve, reject) => {
      const next = waiting.findIndex((other, place) => place > 0 && isUrgent && !other.isUrgent);
      waiting.splice(next < 0 ? waiting.length : next, 0, { message, isUrgent, resolve, reject });
      if (waiting.length === 1) this.#parseNext();
    });
  }

  #parseNext(): void {
    const [next] = this.#waiting;
    if (!next) return this.#thread?.unref();
    try {
      this.#thread ??= this.#start();
    } catch (error) {
      this.#waiting.shift();
      next.reject(error);
      return this.#parseNext();
    }
    const thread = this.#thread;
    thread.ref();
    thread.postMessage(next.message);
    this.#deadline = setTimeout(() => {
      // Ignore a late result, so that the next message isn't posted to a terminating thread.
      thread.removeAllListeners("message");
      void thread.terminate();
    }, this.#timeoutMs);
  }

  #start(): Worker {
    const started = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    started.on("message", (result: Result) => this.#finish(result));
    // The exit event follows.
    started.on("error", () => {});
    started.on("exit", () => {
      this.#thread = null;
      this.#finish(this.#onExceeded());
    });
    return started;
  }

  #finish(result: Result): void {
    clearTimeout(this.#deadline);
    this.#waiting.shift()?.resolve(result);
    this.#parseNext();
  }
}
