/** Counts events of about the last `windowMs`: those of this window, and its share of the one before. */
export class Meter {
  readonly #windowMs: number;
  #startedAt = 0;
  #current = 0;
  #previous = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  count(now: number): void {
    this.#turn(now);
    this.#current++;
  }

  read(now: number): number {
    this.#turn(now);
    const rest = 1 - (now - this.#startedAt) / this.#windowMs;
    return Math.round(this.#current + this.#previous * rest);
  }

  #turn(now: number): void {
    const passed = now - this.#startedAt;
    if (passed < this.#windowMs) return;
    const isNext = passed < 2 * this.#windowMs;
    this.#previous = isNext ? this.#current : 0;
    this.#current = 0;
    this.#startedAt = isNext ? this.#startedAt + this.#windowMs : now;
  }
}
