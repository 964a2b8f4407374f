/** Limits how much runs at the same time for each key, such as a user. Everything else waits in order. */
export class Slots {
  readonly #lines = new Map<string, { busy: number; waiting: (() => void)[] }>();

  /**
   * Waits for one of the `max` slots of a key.
   *
   * @param signal called if it has to wait; stops waiting
   * @returns a function that releases the slot, to be called once; null if aborted first, or if `waitingMax` others are already waiting
   */
  acquire(
    key: string,
    {
      max,
      waitingMax = Infinity,
      signal,
    }: { max: number; waitingMax?: number; signal: () => AbortSignal },
  ): Promise<(() => void) | null> {
    const line = this.#lines.get(key) ?? { busy: 0, waiting: [] };
    this.#lines.set(key, line);
    const release = () => {
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.busy === 0) this.#lines.delete(key);
    };
    if (line.busy < max) {
      line.busy++;
      return Promise.resolve(release);
    }
    if (line.waiting.length >= waitingMax) return Promise.resolve(null);
    return new Promise((resolve) => {
      const aborted = signal();
      const call = () => {
        aborted.removeEventListener("abort", leave);
        resolve(release);
      };
      const leave = () => {
        line.waiting.splice(line.waiting.indexOf(call), 1);
        resolve(null);
      };
      line.waiting.push(call);
      aborted.addEventListener("abort", leave, { once: true });
    });
  }
}
