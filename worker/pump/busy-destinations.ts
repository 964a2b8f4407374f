import type { InFlight } from "./in-flight.ts";
import { leaseSize } from "./lease-size.ts";
import type { Queued } from "./source.ts";

/** The largest share of the time that lease queries may spend on skipping the mail of busy destinations. */
const SKIPPING_SHARE = 0.2;
const PAUSE_MAX_MS = 250;

/** Destinations with so much in flight that lease queries skip the rest of their mail. */
export class BusyDestinations<Item extends Queued> {
  readonly #inFlight: InFlight<Item>;
  #skipped: string[] = [];
  #nextAt = 0;

  constructor(inFlight: InFlight<Item>) {
    this.#inFlight = inFlight;
  }

  /** For a lease query that begins now. */
  toSkip(): string[] {
    return (this.#skipped = this.#now());
  }

  /**
   * Delays the next query if this one found less than its limit: it has then read all due mail of the destinations that it
   * skipped, perhaps a million rows. The delay is four times as long as the query took, up to `PAUSE_MAX_MS`.
   *
   * @param startedAt `performance.now()` before the query
   */
  afterLease(startedAt: number, { isFull }: { isFull: boolean }): void {
    const now = performance.now();
    const pauseMs = Math.min(PAUSE_MAX_MS, (now - startedAt) * (1 / SKIPPING_SHARE - 1));
    this.#nextAt = isFull ? 0 : now + pauseMs;
  }

  /** A destination that the last query skipped has room again. */
  get isFreed(): boolean {
    if (this.#skipped.length === 0) return false;
    const busy = new Set(this.#now());
    return this.#skipped.some((name) => !busy.has(name));
  }

  /** How long the next query has to wait, in milliseconds. */
  get pauseMs(): number {
    if (this.#skipped.length === 0 || this.isFreed) return 0;
    return Math.max(0, this.#nextAt - performance.now());
  }

  #now(): string[] {
    return this.#inFlight.destinationsWith(leaseSize(this.#inFlight).share);
  }
}
