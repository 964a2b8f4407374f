import { setTimeout as delay } from "node:timers/promises";

import type { Logger } from "pino";

import { BatchWriter } from "#server/core/shared/batch-writer.ts";
import { onWake } from "#server/core/shared/wake.ts";
import type { Connection } from "#server/db/client.ts";
import { Waiter } from "#server/processes/pause.ts";
import { backoffMs } from "#server/processes/run-loop.ts";

const POLL_MS = 1_000;
/** The longest wait of a quiet loop, in case a notification was lost. */
export const SWEEP_MS = 30_000;
/** Longer than the slowest healthy turn: a lease query, and a back-off of three seconds. */
const STALLED_AFTER_MS = 12_000;
const FLUSH_EVERY_MS = 20;
const FLUSH_AT = 200;
const BATCH_MAX = 500;
/** Another process repeats the work whose outcomes aren't recorded by then. */
const RECORDING_GRACE_MS = 5_000;

type Options<Outcome> = {
  connection: Connection;
  log: Logger;
  /** What is leased, for log messages. */
  what: string;
  /** The Postgres channel that announces due rows. */
  channel: string;
  /** Called on each notification. */
  onNotify?: () => void;
  /** How long to wait for a notification before the next lease; at most `pollMs`. */
  waitMs?: () => number;
  /** How long until the next row is due; null if none is planned. Asked once the loop is quiet. */
  untilDueMs: () => Promise<number | null>;
  pollMs?: number | undefined;
  /** Pause after a lease: a busy channel must not cause one query per row. */
  pauseMs: number;
  /**
   * Leases due rows and starts the work on them with `track`. Not called while outcomes can't be recorded.
   *
   * @returns `more` if more rows are probably due, `all` if all due rows were leased, `none` if there was no room
   */
  lease: () => Promise<"more" | "all" | "none">;
  /** Records outcomes. */
  write: (outcomes: Outcome[]) => Promise<unknown>;
  onWritten: (outcomes: Outcome[]) => void;
  /** Waits for the work in progress when the loop stops, for a limited time. */
  settle: (done: Promise<void>) => Promise<unknown>;
  /** Releases the leases without an outcome. */
  release: () => Promise<void>;
};

/**
 * The loop that the pumps and the webhook deliverer share: leases due rows, tracks the work on them and records its
 * outcomes, until stopped. Any number of loops can work on one table.
 */
export class LeaseLoop<Outcome> {
  readonly #options: Options<Outcome>;
  readonly #writer: BatchWriter<Outcome>;
  readonly #work = new Set<Promise<void>>();
  readonly #waiter = new Waiter();
  /** Whether anything has happened since the loop last began to wait. */
  #hadWork = true;
  /** Nothing was due and nothing is in progress: the loop waits until the next row is due, or for a notification. */
  #isQuiet = false;
  /** Infinity while the loop waits. */
  #turnedAt = performance.now();
  #running: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;

  constructor(options: Options<Outcome>) {
    this.#options = options;
    this.#writer = createOutcomeWriter({
      ...options,
      onWritten: (outcomes) => {
        options.onWritten(outcomes);
        // A retry may be due before the loop would end its wait.
        this.#hadWork = true;
        if (this.#isQuiet) this.#waiter.wake();
      },
    });
  }

  /** Whether the loop hangs, for example in a query that never returns. */
  get isStalled(): boolean {
    return performance.now() - this.#turnedAt > STALLED_AFTER_MS;
  }

  get isStopping(): boolean {
    return this.#stopped !== null;
  }

  /** Whether nothing may be leased now, because outcomes can't be recorded or the loop is stopping. */
  get isPaused(): boolean {
    return this.isStopping || this.#writer.failing;
  }

  /** Resolves once the loop listens for notifications. */
  async start(): Promise<void> {
    const { connection, channel, onNotify } = this.#options;
    await onWake(connection.sql, channel, () => {
      onNotify?.();
      this.wake();
    });
    this.#running = this.#run();
  }

  /** Stops leasing, waits for work in progress, and records its outcomes. Ends in time even without a database. */
  stop(): Promise<void> {
    return (this.#stopped ??= Promise.resolve().then(() => this.#stop()));
  }

  /** Ends the current wait, or else the next one. */
  wake(): void {
    this.#hadWork = true;
    this.#waiter.wake();
  }

  /** Waits until `wake` is called, but not longer than `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    this.#turnedAt = Infinity;
    await this.#waiter.wait(timeoutMs);
    this.#turnedAt = performance.now();
  }

  /** Makes `stop` wait for this work. */
  track(work: Promise<void>): void {
    this.#hadWork = true;
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  record(outcomes: Outcome[]): void {
    this.#writer.add(outcomes);
  }

  async #stop(): Promise<void> {
    this.wake();
    await this.#options.settle(this.#done());
    await Promise.race([this.#finish(), delay(RECORDING_GRACE_MS, null, { ref: false })]);
  }

  async #done(): Promise<void> {
    await this.#running;
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #finish(): Promise<void> {
    const { connection, channel, release } = this.#options;
    await this.#writer.drain();
    await release();
    // Other workers lease them now. Without the database, they find them later.
    await connection.sql.notify(channel, "").catch(() => {});
  }

  async #run(): Promise<void> {
    const { lease, pauseMs, log, what } = this.#options;
    let failures = 0;
    while (!this.isStopping) {
      this.#turnedAt = performance.now();
      try {
        await this.#untilNextTurn();
        if (this.isPaused) continue;
        const leased = await lease();
        this.#isQuiet = leased === "all" && this.#isIdle();
        if (leased === "none") continue;
        if (failures > 0) log.info(`leasing ${what} works again`);
        failures = 0;
        if (leased === "more") this.wake();
        else await delay(pauseMs);
      } catch (error) {
        if (failures++ === 0) log.error({ err: error }, `could not lease ${what}; retrying`);
        await delay(backoffMs(failures));
      }
    }
  }

  async #untilNextTurn(): Promise<void> {
    const waitMs = this.#isQuiet ? await this.#quietMs() : this.#waitMs();
    this.#hadWork = false;
    await this.wait(waitMs);
  }

  #isIdle(): boolean {
    return !this.#hadWork && this.#work.size === 0;
  }

  #waitMs(): number {
    const { pollMs = POLL_MS, waitMs } = this.#options;
    return waitMs && !this.#writer.failing ? Math.min(pollMs, waitMs()) : pollMs;
  }

  async #quietMs(): Promise<number> {
    const { pollMs = SWEEP_MS, untilDueMs } = this.#options;
    const dueMs = (await untilDueMs()) ?? pollMs;
    // Due rows that weren't leased are locked by another worker.
    return Math.min(dueMs > 0 ? dueMs : POLL_MS, pollMs);
  }
}

/** Writes outcomes in batches, hundreds per commit. While a write fails, no more work should be leased. */
export const createOutcomeWriter = <Outcome>({
  write,
  onWritten,
  log,
}: Pick<Options<Outcome>, "write" | "onWritten" | "log">): BatchWriter<Outcome> =>
  new BatchWriter({
    write,
    onWritten,
    retryMs: backoffMs,
    batchMax: BATCH_MAX,
    flushAt: FLUSH_AT,
    flushAfterMs: FLUSH_EVERY_MS,
    onFailing: (error, { length }) =>
      log.error({ err: error, outcomes: length }, "could not record outcomes; retrying"),
    onRecovered: () => log.info("recording outcomes again"),
  });
