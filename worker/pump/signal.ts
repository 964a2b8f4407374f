/** A flag that a loop waits for. Raising it before or during a wait ends that wait. */
export class Signal {
  #raised = false;
  #wake: (() => void) | null = null;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  /** Resolves when the signal is raised or after `timeoutMs`, then resets it. */
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
