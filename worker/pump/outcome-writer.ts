import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import { backoffMs } from "./backoff.ts";

const FLUSH_EVERY_MS = 20;
const FLUSH_AT = 200;
const BATCH_MAX = 500;

/**
 * Writes outcomes in batches, hundreds per commit. A batch that fails stays in memory and is retried until
 * it succeeds.
 */
export class OutcomeWriter<Outcome> {
  readonly #write: (outcomes: Outcome[]) => Promise<unknown>;
  readonly #onWritten: (outcomes: Outcome[]) => void;
  readonly #log: Logger;
  readonly #waiting: Outcome[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #failures = 0;

  constructor(options: {
    write: (outcomes: Outcome[]) => Promise<unknown>;
    onWritten: (outcomes: Outcome[]) => void;
    log: Logger;
  }) {
    this.#write = options.write;
    this.#onWritten = options.onWritten;
    this.#log = options.log;
  }

  /** The last write failed, so no more work should be leased. */
  get failing(): boolean {
    return this.#failures > 0;
  }

  add(outcomes: Outcome[]): void {
    this.#waiting.push(...outcomes);
    if (this.#writing) return;
    if (this.#waiting.length >= FLUSH_AT) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), FLUSH_EVERY_MS);
  }

  /** Resolves once everything added so far is written. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    await this.#writing;
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_MAX);
      try {
        await this.#write(batch);
      } catch (error) {
        if (this.#failures++ === 0)
          this.#log.error(
            { err: error, outcomes: batch.length },
            "could not record outcomes; retrying",
          );
        await delay(backoffMs(this.#failures));
        continue;
      }
      if (this.#failures > 0) this.#log.info("recording outcomes again");
      this.#failures = 0;
      this.#waiting.splice(0, batch.length);
      this.#onWritten(batch);
    }
  }
}
