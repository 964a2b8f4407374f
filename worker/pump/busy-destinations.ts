import type { BusyDestination } from "#server/core/sending/outbox/lease-due-emails.ts";

import type { InFlight } from "./in-flight.ts";
import { leaseSize, SINGLES_RESERVED } from "./lease-size.ts";
import type { Queued } from "./source.ts";

/** The largest share of the time for lease queries that find little, because they skip the mail of busy destinations. */
const SKIPPING_SHARE = 0.2;
const PAUSE_MAX_MS = 250;

/** Destinations with so much in flight that lease queries skip their mail. */
export class BusyDestinations<Item extends Queued> {
  readonly #inFlight: InFlight<Item>;
  #skipped: BusyDestination[] = [];
  #readsAll = false;
  #nextAt = 0;
  #readAllAt = 0;

  constructor(inFlight: InFlight<Item>) {
    this.#inFlight = inFlight;
  }

  /** For a lease query that begins now. It may read all mail that it skips, perhaps a million rows, now and then. */
  toSkip(): { busy: BusyDestination[]; readsAll: boolean } {
    this.#skipped = this.#now();
    this.#readsAll = this.#skipped.length > 0 && performance.now() >= this.#readAllAt;
    return { busy: this.#skipped, readsAll: this.#readsAll };
  }

  /**
   * Delays the next query if this one found less than its limit, by four times as long as it took, up to `PAUSE_MAX_MS`.
   * Delays the next one that reads all by as much, or by as long as this one took if it found its limit.
   *
   * @param startedAt `performance.now()` before the query
   */
  afterLease(startedAt: number, { isFull }: { isFull: boolean }): void {
    const now = performance.now();
    const tookMs = now - startedAt;
    const pauseMs = tookMs * (1 / SKIPPING_SHARE - 1);
    if (this.#readsAll) this.#readAllAt = now + (isFull ? tookMs : pauseMs);
    this.#nextAt = isFull ? 0 : now + Math.min(PAUSE_MAX_MS, pauseMs);
  }

  /** The next query would skip less than the last one. */
  get isFreed(): boolean {
    if (this.#skipped.length === 0) return false;
    const now = new Map(this.#now().map((busy) => [busy.destination, busy.companies]));
    return this.#skipped.some(({ destination, companies }) => {
      const still = now.get(destination);
      if (still === "all") return false;
      return !still || companies === "all" || companies.some((one) => !still.includes(one));
    });
  }

  /** How long the next query has to wait, in milliseconds. */
  get pauseMs(): number {
    if (this.#skipped.length === 0 || this.isFreed) return 0;
    return Math.max(0, this.#nextAt - performance.now());
  }

  #now(): BusyDestination[] {
    const { share } = leaseSize(this.#inFlight);
    return this.#inFlight.busyDestinations(share, SINGLES_RESERVED);
  }
}
