import { SmtpReply } from "./smtp-reply.ts";

/** Holds connections to so many for one network. */
export class ConnectionLimits {
  readonly #perNetworkMax: number;
  readonly #open = new Map<string, number>();

  constructor(perNetworkMax: number) {
    this.#perNetworkMax = perNetworkMax;
  }

  /**
   * Counts a connection until it closes.
   *
   * @throws SmtpReply when there are enough from there
   */
  enter(network: string): void {
    const open = this.#open.get(network) ?? 0;
    if (open >= this.#perNetworkMax)
      throw new SmtpReply(421, "4.7.0", "Too many connections from your network, try again later");
    this.#open.set(network, open + 1);
  }

  leave(network: string): void {
    const open = this.#open.get(network) ?? 0;
    if (open > 1) this.#open.set(network, open - 1);
    else this.#open.delete(network);
  }
}
