/** A queue that opens connections; `dispatch` is called when a slot is free. */
export type SlotOwner = {
  readonly connections: number;
  /** Whether the destination has accepted or rejected messages recently. */
  readonly isAnswering: boolean;
  dispatch(): void;
};

/** A third of the connections is only for destinations that answer. */
const RESERVED_SHARE = 3;

/** Limits the connections to some destinations together, and shares them fairly. */
export class SessionSlots {
  readonly #max: () => number;
  /** Slots that include these: a connection takes one of both. */
  readonly #outer: SessionSlots | null;
  /** Connections by owner. */
  readonly #holders = new Map<SlotOwner, number>();
  #used = 0;
  /** In the order of their requests. */
  readonly #waiting = new Set<SlotOwner>();
  /** Callbacks that close idle connections, the longest idle first. */
  readonly #idle = new Map<object, () => void>();

  constructor(max: number | (() => number), outer: SessionSlots | null = null) {
    this.#max = typeof max === "number" ? () => max : max;
    this.#outer = outer;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Returns true if the owner may open a connection. Otherwise closes an idle one and calls `dispatch`
   * in turn.
   */
  take(owner: SlotOwner): boolean {
    if (this.#hasRoom(owner)) {
      if (this.#outer && !this.#outer.take(owner)) return false;
      this.#used++;
      this.#holders.set(owner, (this.#holders.get(owner) ?? 0) + 1);
      this.#waiting.delete(owner);
      return true;
    }
    this.#waiting.add(owner);
    const [end] = this.#idle.values();
    end?.();
    return false;
  }

  /** Call when a connection of the owner is closed. */
  release(owner: SlotOwner) {
    this.#used--;
    const left = this.#holders.get(owner)! - 1;
    if (left > 0) this.#holders.set(owner, left);
    else this.#holders.delete(owner);
    this.#outer?.release(owner);
    this.serve();
  }

  /** Lets waiting owners try again. */
  serve() {
    for (const owner of [...this.#waiting]) {
      if (this.#used >= this.#max()) return;
      if (!this.#waiting.has(owner) || !this.#hasRoom(owner)) continue;
      this.#waiting.delete(owner);
      owner.dispatch();
    }
  }

  offerIdle(connection: object, end: () => void) {
    this.#idle.set(connection, end);
    const [next] = this.#waiting;
    if (next) end();
    else this.#outer?.offerIdle(connection, end);
  }

  withdrawIdle(connection: object) {
    this.#outer?.withdrawIdle(connection);
    this.#idle.delete(connection);
  }

  forget(owner: SlotOwner) {
    this.#outer?.forget(owner);
    this.#waiting.delete(owner);
  }

  /** Whether a waiting owner has fewer connections than this one, or none. */
  shouldYield(owner: SlotOwner): boolean {
    for (const other of this.#waiting)
      if (other !== owner && other.connections + 1 <= Math.max(owner.connections - 1, 1))
        return true;
    return this.#outer?.shouldYield(owner) ?? false;
  }

  #hasRoom(owner: SlotOwner): boolean {
    const max = this.#max();
    if (this.#used >= max) return false;
    const unreserved = max - Math.floor(max / RESERVED_SHARE);
    if (this.#outer || owner.isAnswering || this.#used < unreserved) return true;
    return this.#usedBySilent() < unreserved;
  }

  #usedBySilent(): number {
    let used = 0;
    for (const [owner, connections] of this.#holders) if (!owner.isAnswering) used += connections;
    return used;
  }
}
