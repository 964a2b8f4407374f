import { SmtpReply } from "./smtp-reply.ts";

const NETWORKS_MAX = 10_000;

/** Limits messages per minute and network with a token bucket. */
export class MessageRate {
  readonly #perMinuteMax: number;
  readonly #now: () => number;
  /** Remaining messages per network, the most recently active last. */
  readonly #left = new Map<string, { messages: number; at: number }>();

  constructor(perMinuteMax: number, now: () => number = () => performance.now()) {
    this.#perMinuteMax = perMinuteMax;
    this.#now = now;
  }

  /** @throws SmtpReply over the limit */
  count(network: string): void {
    const now = this.#now();
    const { messages, at } = this.#left.get(network) ?? { messages: this.#perMinuteMax, at: now };
    const earned = ((now - at) / 60_000) * this.#perMinuteMax;
    const left = Math.min(this.#perMinuteMax, messages + earned);
    this.#left.delete(network);
    this.#left.set(network, { messages: Math.max(0, left - 1), at: now });
    if (this.#left.size > NETWORKS_MAX) this.#left.delete(this.#left.keys().next().value!);
    if (left < 1)
      throw new SmtpReply(
        450,
        "4.7.1",
        "Too many messages from your network, try again in a minute",
      );
  }
}
