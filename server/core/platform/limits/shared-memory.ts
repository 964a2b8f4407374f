/** For all clients together. */
const BYTES_MAX = 256 * 1024 * 1024;
/** One owner, such as a network or a mailbox, can use at most a quarter. */
const OWNER_SHARE = 4;

/** Shares memory among clients that are uploading messages or large request bodies. */
export class SharedMemory {
  readonly #bytesMax: number;
  readonly #ofOwner = new Map<string, number>();
  #held = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Reserves memory; returns false, and reserves nothing, if there isn't enough. */
  take(owner: string | null, bytes: number): boolean {
    if (this.#held + bytes > this.#bytesMax) return false;
    if (owner !== null) {
      const own = (this.#ofOwner.get(owner) ?? 0) + bytes;
      if (own > this.#bytesMax / OWNER_SHARE) return false;
      this.#ofOwner.set(owner, own);
    }
    this.#held += bytes;
    return true;
  }

  give(owner: string | null, bytes: number): void {
    this.#held -= bytes;
    if (owner === null) return;
    const own = (this.#ofOwner.get(owner) ?? 0) - bytes;
    if (own > 0) this.#ofOwner.set(owner, own);
    else this.#ofOwner.delete(owner);
  }
}
