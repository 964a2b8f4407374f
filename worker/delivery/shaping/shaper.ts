import { LRUCache } from "lru-cache";

import type { Failure } from "#mail/smtp/outcome.ts";
import type { SessionSlots } from "#mail/smtp/session-slots.ts";

import { Gate, type GateOptions } from "./gate.ts";
import { hasLapsed, type Limits, type ThrottleEvent, tighten } from "./limits.ts";

const KEYS_MAX = 10_000;
/** A throttling reply this soon after a domain's suspension continues it, for longer. */
const RELAPSE_MINUTES = 5;

export type ShaperOptions = {
  /** A minute; less in tests and benchmarks. */
  minuteMs?: number;
  /** The worker processes that share the limits. */
  workers?: () => number;
  now?: () => number;
  /** Called when the limits of a provider, a set of mail servers or a domain change. */
  onLimited?: (key: string, limits: Limits) => void;
};

/** A reply that asks to slow down. */
type ThrottlingReply = {
  failure: Failure;
  host?: string | null | undefined;
  /** The recipients' domain. */
  domain: string;
  /** The reply may be due to a rule of that domain only. */
  isDomainOnly: boolean;
};

/**
 * Keeps the limits of destinations: of providers and sets of mail servers (gates), and of recipient domains when a
 * server rejected this machine for that domain only.
 */
export class Shaper {
  readonly #options: ShaperOptions;
  readonly #gateOptions: GateOptions;
  readonly #gates: LRUCache<string, Gate>;
  readonly #gateOf = new LRUCache<string, Gate>({ max: KEYS_MAX });
  readonly #domains = new LRUCache<string, Limits>({ max: KEYS_MAX });
  /** Called when a gate or, if given, a domain is suspended. */
  onSuspended: (gate: Gate, domain?: string) => void = () => undefined;

  constructor(slots: SessionSlots, options: ShaperOptions = {}) {
    this.#options = options;
    const { minuteMs = 60_000, workers = () => 1, now = () => Date.now() } = options;
    this.#gateOptions = { now, minuteMs, workers, slots };
    this.#gates = new LRUCache<string, Gate>({ max: KEYS_MAX, dispose: (gate) => gate.close() });
  }

  gate(key: string): Gate {
    const existing = this.#gates.get(key);
    if (existing) return existing;
    const gate = new Gate(key, this.#gateOptions);
    this.#gates.set(key, gate);
    return gate;
  }

  /** Remembers the gate of a recipient domain, so that its mail can be postponed before it is composed. */
  learn(domain: string, gate: Gate): void {
    if (this.#gateOf.peek(domain) !== gate) this.#gateOf.set(domain, gate);
  }

  /**
   * Why a message to the domain must wait, and until when; null if it can be sent.
   *
   * @param retryAskedAt ends suspensions that began before
   */
  postpone(domain: string, retryAskedAt?: number): Failure | null {
    if (retryAskedAt) this.#resume(domain, retryAskedAt);
    const gate = this.#gateOf.get(domain);
    const limits = this.#domains.size > 0 ? this.#limitsOf(domain) : null;
    if (limits && this.#gateOptions.now() < limits.suspendedUntil)
      return { ...this.#toFailure(limits, domain), retryAt: limits.suspendedUntil };
    if (!gate?.limits) return null;
    if (gate.isSuspended) return this.postponeAt(gate, domain);
    if (!gate.isFull) return null;
    return { ...this.postponeAt(gate, domain), notAttempted: "paced" };
  }

  /** The outcome for a message to the domain that must wait at a gate. */
  postponeAt(gate: Gate, domain: string): Failure {
    return { ...this.#toFailure(gate.limits!, domain), retryAt: gate.schedule() };
  }

  /**
   * Lowers the limits as a server's reply asks. Returns when to retry its message; null for the usual schedule.
   *
   * @param gate of the destination
   */
  throttle(
    gate: Gate,
    { failure, host = null, domain, isDomainOnly }: ThrottlingReply,
  ): number | null {
    const { throttle, message: reply, dsn } = failure;
    if (!throttle) return null;
    const { accepted, isProbing: isProbe } = gate;
    // The rejected connection still has its slot.
    const open = gate.slots.used - gate.opening - 1;
    const replied = { throttle, reply, dsn, host, at: this.#gateOptions.now() };
    const event: ThrottleEvent = { ...replied, accepted, open, isProbe };
    if (isDomainOnly) return this.#throttleDomain(domain, gate, event);
    this.#limit(gate, tighten(gate.limits, event, this.#gateOptions.minuteMs));
    return gate.isSuspended ? gate.schedule() : null;
  }

  /** Applies limits that were stored by this worker before a restart, or by another worker. */
  restore(key: string, limits: Limits): void {
    if (!key.startsWith(DOMAIN)) {
      this.#limit(this.gate(key), limits, false);
      return;
    }
    const domain = key.slice(DOMAIN.length);
    const known = this.#limitsOf(domain);
    if (!known || known.changedAt < limits.changedAt) this.#domains.set(domain, limits);
  }

  close(): void {
    for (const gate of this.#gates.values()) gate.close();
  }

  /**
   * In our words: the reply that set the limits is to another company's mail, and may quote it.
   *
   * @param place the recipients' domain, and the source's suffix
   */
  #toFailure({ dsn, host, suspendedUntil }: Limits, place: string): Failure {
    const until = new Date(suspendedUntil).toISOString().slice(0, 16).replace("T", " ");
    const isPaused = this.#gateOptions.now() < suspendedUntil;
    const pause = isPaused ? `. Sending is paused until ${until} UTC` : "";
    const message = `${place.split(" ")[0]} is limiting mail from this server${pause}`;
    return {
      result: "delayed",
      dsn,
      message,
      suppress: false,
      notAttempted: "suspended",
      ...(host !== null && { host }),
    };
  }

  #resume(domain: string, askedAt: number): void {
    const gate = this.#gateOf.get(domain);
    if (gate?.limits && this.#isSuspended(gate.limits, askedAt))
      this.#limit(gate, this.#resumed(gate.limits, askedAt));
    const limits = this.#limitsOf(domain);
    if (!limits || !this.#isSuspended(limits, askedAt)) return;
    const resumed = this.#resumed(limits, askedAt);
    this.#domains.set(domain, resumed);
    this.#options.onLimited?.(DOMAIN + domain, resumed);
  }

  #limitsOf(domain: string): Limits | null {
    const limits = this.#domains.get(domain);
    const { now, minuteMs } = this.#gateOptions;
    return limits && !hasLapsed(limits, now(), minuteMs) ? limits : null;
  }

  /** Whether they suspend now, and did when a retry was asked for. */
  #isSuspended({ changedAt, suspendedUntil }: Limits, askedAt: number): boolean {
    return changedAt < askedAt && this.#gateOptions.now() < suspendedUntil;
  }

  /** If the next message is rejected, even at once, the suspension is as long as this one was. */
  #resumed(limits: Limits, askedAt: number): Limits {
    const now = this.#gateOptions.now();
    const level = Math.max(0, limits.level - 1);
    return { ...limits, level, changedAt: Math.min(askedAt, now) - 1, suspendedUntil: now };
  }

  #limit(gate: Gate, limits: Limits, isNew = true): void {
    const known = gate.limits;
    if (known && known.changedAt >= limits.changedAt) return;
    gate.apply(limits);
    if (isNew) this.#options.onLimited?.(gate.key, limits);
    if (gate.isSuspended) this.onSuspended(gate);
  }

  #throttleDomain(domain: string, gate: Gate, event: ThrottleEvent): number {
    const { minuteMs } = this.#gateOptions;
    const known = this.#limitsOf(domain);
    const isRelapse =
      known !== null && event.at - known.suspendedUntil < RELAPSE_MINUTES * minuteMs;
    const limits = tighten(known, { ...event, isProbe: isRelapse, open: 0 }, minuteMs);
    if (limits !== known) {
      this.#domains.set(domain, limits);
      this.#options.onLimited?.(DOMAIN + domain, limits);
      this.onSuspended(gate, domain);
    }
    return limits.suspendedUntil;
  }
}

/** Prefix of the keys of domains. */
const DOMAIN = "domain ";
