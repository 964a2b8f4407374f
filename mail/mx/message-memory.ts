/** Of all connections together, for the bytes of messages that are being taken. */
const BYTES_MAX = 256 * 1024 * 1024;
/** One network leaves the rest to others. */
const NETWORK_SHARE = 4;

/** Shares out the memory for messages. */
export class MessageMemory {
  readonly #bytesMax: number;
  readonly #ofNetwork = new Map<string, number>();
  #held = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** False when there is no room; nothing is taken then. */
  take(network: string | null, bytes: number): boolean {
    if (this.#held + bytes > this.#bytesMax) return false;
    if (network !== null) {
      const own = (this.#ofNetwork.get(network) ?? 0) + bytes;
      if (own > this.#bytesMax / NETWORK_SHARE) return false;
      this.#ofNetwork.set(network, own);
    }
    this.#held += bytes;
    return true;
  }

  give(network: string | null, bytes: number): void {
    this.#held -= bytes;
    if (network === null) return;
    const own = (this.#ofNetwork.get(network) ?? 0) - bytes;
    if (own > 0) this.#ofNetwork.set(network, own);
    else this.#ofNetwork.delete(network);
  }
}
