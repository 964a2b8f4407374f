import ipaddr from "ipaddr.js";

import { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { ConnectionSlots, type SlotOptions } from "./connection-slots.ts";
import type { LifetimeLimits } from "./connections.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** Of a message, as announced with SIZE (RFC 1870). */
export const MESSAGE_BYTES_MAX = 35 * 1024 * 1024;
export const CONNECTIONS_MAX = 300;
const SLOTS: SlotOptions = {
  max: CONNECTIONS_MAX,
  perNetworkMax: 20,
  /** RFC 5321, 4.5.3.2 allows five minutes for a command; no legitimate client needs that. */
  idleMs: 2 * 60_000,
  pressureIdleMs: 15_000,
};
const MESSAGES_PER_MINUTE_MAX = 120;
const LIFE: LifetimeLimits = { lifetimeMs: 10 * 60_000, bytesPerSecondMin: 8 * 1024 };
const TARPIT_STEP_MS = 1_000;

export type LimitOptions = {
  slots?: Partial<SlotOptions>;
  /** The clock for connection slots, in milliseconds. */
  now?: () => number;
  messagesPerMinuteMax?: number;
  messageMemoryBytes?: number;
  life?: LifetimeLimits;
  tarpitStepMs?: number;
  /** The network to count an address under; null for unlimited addresses. */
  networkOf?: (address: string) => string | null;
};

/** Limits of one listener, in total and per network. */
export type ListenerLimits = {
  connections: ConnectionSlots<object>;
  rate: MessageRate;
  guesses: HarvestGuard;
  memory: SharedMemory;
  life: LifetimeLimits;
  tarpitStepMs: number;
  networkOf: (address: string) => string | null;
};

export const createLimits = (options: LimitOptions = {}): ListenerLimits => ({
  connections: new ConnectionSlots({ ...SLOTS, ...options.slots }, options.now),
  rate: new MessageRate(options.messagesPerMinuteMax ?? MESSAGES_PER_MINUTE_MAX),
  guesses: new HarvestGuard(),
  memory: new SharedMemory(options.messageMemoryBytes),
  life: options.life ?? LIFE,
  tarpitStepMs: options.tarpitStepMs ?? TARPIT_STEP_MS,
  networkOf: options.networkOf ?? toNetwork,
});

/** Per network, within ten minutes of the first. No legitimate recipient list is this outdated. */
const GUESSES_MAX = 50;
const WINDOW_MS = 10 * 60_000;
const GUESSING_NETWORKS_MAX = 10_000;

/** Blocks networks that try many unknown recipients (directory harvesting). Known ones aren't checked. Kept in memory only. */
export class HarvestGuard {
  readonly #now: () => number;
  readonly #counts = new Map<string, { count: number; since: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @throws SmtpReply for a network that has guessed too often in the last ten minutes */
  check(network: string): void {
    if (this.#recent(network).count >= GUESSES_MAX)
      throw new SmtpReply(421, "4.7.0", "Too many unknown recipients, try again later");
  }

  count(network: string): void {
    const { count, since } = this.#recent(network);
    this.#counts.delete(network);
    // The last one restarts the window.
    const isLast = count + 1 >= GUESSES_MAX;
    this.#counts.set(network, { count: count + 1, since: isLast ? this.#now() : since });
    if (this.#counts.size > GUESSING_NETWORKS_MAX)
      this.#counts.delete(this.#counts.keys().next().value!);
  }

  #recent(network: string): { count: number; since: number } {
    const now = this.#now();
    const known = this.#counts.get(network);
    return known && now - known.since < WINDOW_MS ? known : { count: 0, since: now };
  }
}

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

/**
 * The network that limits apply to: an IPv4 address, or the /64 of an IPv6 address. Null for addresses that
 * are not public, such as a filter, a proxy or this machine, which may deliver all mail.
 */
export function toNetwork(address: string): string | null {
  if (!ipaddr.isValid(address)) return address;
  if (!isPublicAddress(address)) return null;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : parsed.toByteArray().slice(0, 8).join(".");
}

/** The wider network of an address: the /16 for IPv4, the /48 for IPv6. */
export function toWideNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  return bytes.slice(0, parsed.kind() === "ipv4" ? 2 : 6).join(".");
}
