/** A queue that opens connections; `dispatch` is called when a slot is free. */
export type ConnectionOwner = { readonly connections: number; dispatch(): void };

/** Limits the connections to all destinations together, and shares them fairly. */
export class ConnectionSlots {
  readonly #max: number;
  #used = 0;
  /** In the order of their requests. */
  readonly #waiting = new Set<ConnectionOwner>();
  /** Callbacks that close idle connections, the longest idle first. */
  readonly #idle = new Map<object, () => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Returns true if the owner may open a connection. Otherwise closes an idle one and calls `dispatch`
   * in turn.
   */
  take(owner: ConnectionOwner): boolean {
    if (this.#used < this.#max) {
      this.#used++;
      this.#waiting.delete(owner);
      return true;
    }
    this.#waiting.add(owner);
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

  forget(owner: ConnectionOwner) {
    this.#waiting.delete(owner);
  }

  /** Whether a waiting owner has fewer connections than this one, or none. */
  shouldYield(owner: ConnectionOwner): boolean {
    for (const other of this.#waiting)
      if (other !== owner && other.connections + 1 <= Math.max(owner.connections - 1, 1))
        return true;
    return false;
  }
}
