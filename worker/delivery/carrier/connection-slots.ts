/** Somebody who opens connections: told when there is room again. */
export type Claimant = { readonly connections: number; dispatch(): void };

/** How many connections there may be in all, shared out in turn. */
export class ConnectionSlots {
  readonly #max: number;
  #used = 0;
  /** In the order of asking. */
  readonly #waiting = new Set<Claimant>();
  /** What ends an idle connection; the one idle for longest first. */
  readonly #idle = new Map<object, () => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** True: the claimant may open a connection. Else an idle one is ended, and the claimant told in its turn. */
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

  /** To be called when the connection is closed. */
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

  /** Whether somebody who waits has less than this claimant, or nothing. */
  owesOthers(claimant: Claimant): boolean {
    for (const other of this.#waiting)
      if (other !== claimant && other.connections + 1 <= Math.max(claimant.connections - 1, 1))
        return true;
    return false;
  }
}
