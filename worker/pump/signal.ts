/** A flag that one loop waits for: raised before, during or after, it ends one wait. */
export class Signal {
  #raised = false;
  #wake: (() => void) | null = null;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** Resolves when the signal is raised, or after `timeoutMs`; the signal is down again then. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#raised)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = null;
    this.#raised = false;
  }
}
