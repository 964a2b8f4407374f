import { ConnectionSlots, type SlotOptions } from "./connection-slots.ts";
import { HarvestGuard } from "./harvest-guard.ts";
import type { LifetimeLimits } from "./connection-lifetimes.ts";
import { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";
import { MessageRate } from "./message-rate.ts";
import { toNetwork } from "./networks.ts";

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
export type Limits = {
  connections: ConnectionSlots<object>;
  rate: MessageRate;
  guesses: HarvestGuard;
  memory: SharedMemory;
  life: LifetimeLimits;
  tarpitStepMs: number;
  networkOf: (address: string) => string | null;
};

export function createLimits(options: LimitOptions = {}): Limits {
  return {
    connections: new ConnectionSlots({ ...SLOTS, ...options.slots }, options.now),
    rate: new MessageRate(options.messagesPerMinuteMax ?? MESSAGES_PER_MINUTE_MAX),
    guesses: new HarvestGuard(),
    memory: new SharedMemory(options.messageMemoryBytes),
    life: options.life ?? LIFE,
    tarpitStepMs: options.tarpitStepMs ?? TARPIT_STEP_MS,
    networkOf: options.networkOf ?? toNetwork,
  };
}
