/** A wait that `wake` ends. */
export class Waiter {
  #isRaised = false;
  #end: (() => void) | null = null;

  /** Ends the current wait, or else the next one. */
  wake(): void {
    this.#isRaised = true;
    this.#end?.();
  }

  /**
   * Waits until `wake` is called, but not longer than `timeoutMs`.
   *
   * @param ref false if waiting must not keep the process alive
   */
  async wait(timeoutMs: number, { ref = true } = {}): Promise<void> {
    if (!this.#isRaised && timeoutMs > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        if (!ref) timer.unref();
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#end = null;
    this.#isRaised = false;
  }
}

/**
 * Waits, or returns early when the signal aborts.
 *
 * @param ref false if waiting must not keep the process alive
 */
export function pause(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (!ref) timer.unref();
    signal.addEventListener("abort", end);
  });
}
