import type { Socket } from "node:net";

import ipaddr from "ipaddr.js";

import { SmtpReply } from "./smtp-reply.ts";

/**
 * Holds connections to so many for one network: an IPv4 address, or the /64 that one IPv6 customer has.
 */
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
  enter(remoteAddress: string): void {
    const network = networkOf(remoteAddress);
    const open = this.#open.get(network) ?? 0;
    if (open >= this.#perNetworkMax)
      throw new SmtpReply(421, "4.7.0", "Too many connections from your network, try again later");
    this.#open.set(network, open + 1);
  }

  leave(remoteAddress: string): void {
    const network = networkOf(remoteAddress);
    const open = this.#open.get(network) ?? 0;
    if (open > 1) this.#open.set(network, open - 1);
    else this.#open.delete(network);
  }
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(".");
}

/** Ends a connection after so long, however busy it keeps: a byte a minute would hold its place for ever. */
export function limitLife(socket: Socket, lifeMaxMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lifeMaxMs).unref();
  socket.once("close", () => clearTimeout(timer));
}
