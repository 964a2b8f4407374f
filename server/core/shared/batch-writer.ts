type Options<Item> = {
  write: (batch: Item[]) => Promise<unknown>;
  /** Largest batch. */
  batchMax: number;
  /** Write at once when this many items wait. */
  flushAt: number;
  /** Write after this time otherwise. */
  flushAfterMs: number;
  /** Pause after a number of failed writes in a row. */
  retryMs: (failures: number) => number;
  /** Beyond this many waiting items, the oldest are dropped. */
  waitingMax?: number;
  /** Called when a write fails after one that succeeded. */
  onFailing: (error: unknown, batch: Item[]) => void;
  onRecovered?: () => void;
  onWritten?: (batch: Item[]) => void;
  /** Called when items are dropped, once until everything is written. */
  onDropping?: () => void;
  /** False if waiting items must not keep the process alive. */
  ref?: boolean;
};

/**
 * Buffers items and writes them in order, in batches, one batch at a time. A batch that fails stays in the buffer and
 * is retried.
 */
export class BatchWriter<Item> {
  readonly #options: Options<Item>;
  readonly #waiting: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #failures = 0;
  #isDropping = false;

  constructor(options: Options<Item>) {
    this.#options = options;
  }

  /** Whether the last write failed. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  add(items: Item[]): void {
    this.#waiting.push(...items);
    this.#dropOldest();
    this.#schedule();
  }

  /** Writes everything that waits. Returns early if a write fails; its items stay in the buffer. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.length > 0) await this.#start();
  }

  /** Like `flush`, but retries until everything is written. */
  async drain(): Promise<void> {
    await this.flush();
    while (this.#waiting.length > 0) {
      const ms = this.#options.retryMs(this.#failures);
      await new Promise<void>((resolve) => void setTimeout(resolve, ms));
      await this.flush();
    }
  }

  #schedule(): void {
    if (this.#writing || this.#waiting.length === 0) return;
    const { flushAt, flushAfterMs, retryMs, ref = true } = this.#options;
    if (this.#waiting.length >= flushAt && !this.failing) {
      void this.#start();
      return;
    }
    if (this.#timer) return;
    const ms = this.failing ? retryMs(this.#failures) : flushAfterMs;
    this.#timer = setTimeout(() => void this.#start(), ms);
    if (!ref) this.#timer.unref();
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      this.#schedule();
    }));
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#options.batchMax);
      try {
        await this.#options.write(batch);
      } catch (error) {
        this.#waiting.unshift(...batch);
        this.#dropOldest();
        if (this.#failures++ === 0) this.#options.onFailing(error, batch);
        return;
      }
      if (this.#failures > 0) this.#options.onRecovered?.();
      this.#failures = 0;
      this.#options.onWritten?.(batch);
    }
    this.#isDropping = false;
  }

  #dropOldest(): void {
    const surplus = this.#waiting.length - (this.#options.waitingMax ?? Infinity);
    if (surplus <= 0) return;
    this.#waiting.splice(0, surplus);
    if (!this.#isDropping) this.#options.onDropping?.();
    this.#isDropping = true;
  }
}
