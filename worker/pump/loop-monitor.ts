/** Above the longest healthy turn: a wait of a second, a lease query, and a back-off of three seconds. */
const STALLED_AFTER_MS = 12_000;

/** Tells whether a loop still turns, or hangs in an await that never settles. */
export class LoopMonitor {
  #turnedAt = performance.now();

  /** Called at the start of every turn. */
  turn(): void {
    this.#turnedAt = performance.now();
  }

  get isStalled(): boolean {
    return performance.now() - this.#turnedAt > STALLED_AFTER_MS;
  }
}
