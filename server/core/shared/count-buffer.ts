import type { Logger } from "pino";

const FLUSH_EVERY_MS = 60_000;
/** Different rows in memory; more are dropped. */
const ROWS_MAX = 20_000;

type Options<Row> = {
  /** Adds counts to the stored ones. */
  write: (rows: (Row & { count: number })[]) => Promise<void>;
  /** What is counted, for the log. */
  what: string;
  log: Logger;
};

/**
 * Counts equal rows in memory, and writes the counts every minute. For statistics: a failed write is logged and its counts
 * are lost.
 */
export class CountBuffer<Row extends object> {
  readonly #options: Options<Row>;
  #counts = new Map<string, Row & { count: number }>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Options<Row>) {
    this.#options = options;
  }

  add(row: Row): void {
    const key = JSON.stringify(row);
    const known = this.#counts.get(key);
    if (known) known.count++;
    else if (this.#counts.size < ROWS_MAX) this.#counts.set(key, { ...row, count: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = [...this.#counts.values()];
    this.#counts = new Map();
    if (rows.length === 0) return;
    const { write, what, log } = this.#options;
    try {
      await write(rows);
    } catch (err) {
      log.warn({ err }, `could not store the counts of ${what}`);
    }
  }
}
