/** A queue that opens connections; `dispatch` is called when a slot is free. */
export type Claimant = { readonly connections: number; dispatch(): void };

/** Limits the connections to all destinations together, and shares them fairly. */
export class ConnectionSlots {
  readonly #max: number;
  #used = 0;
  /** In the order of their requests. */
  readonly #waiting = new Set<Claimant>();
  /** Callbacks that close idle connections, the longest idle first. */
  readonly #idle = new Map<object, () => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Returns true if the claimant may open a connection. Otherwise closes an idle one and calls `dispatch`
   * in turn.
   */
  take(claimant: Claimant): boolean {
    if (this.#used < this.#max) {
      this.#used++;
      this.#waiting.delete(claimant);
      return true;
    }
    this.#waiting.add(claimant);
    const [end] = this.#idle.values();
    end?.();
    return false;
  }

  /** Call when a connection is closed. */
  release() {
    this.#used--;
    while (this.#used < this.#max) {
      const [next] = this.#waiting;
      if (!next) return;
      this.#waiting.delete(next);
      next.dispatch();
    }
  }

  offerIdle(connection: object, end: () => void) {
    this.#idle.set(connection, end);
    const [next] = this.#waiting;
    if (next) end();
  }

  withdrawIdle(connection: object) {
    this.#idle.delete(connection);
  }

  forget(claimant: Claimant) {
    this.#waiting.delete(claimant);
  }

  /** Whether a waiting claimant has fewer connections than this one, or none. */
  owesOthers(claimant: Claimant): boolean {
    for (const other of this.#waiting)
      if (other !== claimant && other.connections + 1 <= Math.max(claimant.connections - 1, 1))
        return true;
    return false;
  }
}
