/** Longer than the slowest healthy turn: a one-second wait, a lease query, and a back-off of three seconds. */
const STALLED_AFTER_MS = 12_000;

/** Detects a loop that hangs in an await that never settles. */
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
