import { LRUCache } from "lru-cache";

import type { ConnectionSlots } from "#worker/delivery/carrier/connection-slots.ts";
import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";

import { Gate, type GateTerms } from "./gate.ts";
import { type Limits, type Signal, tighten } from "./limits.ts";

const KEYS_MAX = 10_000;
/** An objection this soon after a suspension of a domain continues it. */
const RELAPSE_MINUTES = 5;

export type ShaperOptions = {
  /** A minute; less in tests and benchmarks. */
  minuteMs?: number;
  /** The worker processes that share the limits. */
  workers?: () => number;
  now?: () => number;
  /** Called when the limits of an operator, a set of mail hosts or a domain change. */
  onLimited?: (key: string, limits: Limits) => void;
};

/** A reply with a throttle. */
type Objection = {
  failure: Failure;
  host?: string | null | undefined;
  /** The recipients' domain. */
  domain: string;
  /** The reply may be a rule of that domain only. */
  isDomainOnly: boolean;
};

/**
 * Keeps the limits of destinations: of operators and sets of mail hosts (gates), and of recipient domains when a
 * server rejected this machine for that domain only.
 */
export class Shaper {
  readonly #options: ShaperOptions;
  readonly #terms: GateTerms;
  readonly #gates: LRUCache<string, Gate>;
  readonly #gateOf = new LRUCache<string, Gate>({ max: KEYS_MAX });
  readonly #domains = new LRUCache<string, Limits>({ max: KEYS_MAX });
  /** Called when a gate or, if given, a domain is suspended. */
  onSuspended: (gate: Gate, domain?: string) => void = () => undefined;

  constructor(slots: ConnectionSlots, options: ShaperOptions = {}) {
    this.#options = options;
    const { minuteMs = 60_000, workers = () => 1, now = () => Date.now() } = options;
    this.#terms = { now, minuteMs, workers, slots };
    this.#gates = new LRUCache<string, Gate>({ max: KEYS_MAX, dispose: (gate) => gate.close() });
  }

  gate(key: string): Gate {
    const existing = this.#gates.get(key);
    if (existing) return existing;
    const gate = new Gate(key, this.#terms);
    this.#gates.set(key, gate);
    return gate;
  }

  /** Remembers the gate of a recipient domain, so that its mail can wait before it is even composed. */
  learn(domain: string, gate: Gate): void {
    if (this.#gateOf.peek(domain) !== gate) this.#gateOf.set(domain, gate);
  }

  /** Why a message to the domain must wait, and until when; null if it need not. */
  postpone(domain: string): Failure | null {
    const gate = this.#gateOf.get(domain);
    const limits = this.#domains.size > 0 ? this.#domains.get(domain) : undefined;
    if (limits && this.#terms.now() < limits.suspendedUntil)
      return { ...toFailure(limits), retryAt: limits.suspendedUntil };
    if (!gate?.limits) return null;
    if (gate.isSuspended) return this.suspension(gate);
    if (!gate.isFull) return null;
    return { ...this.suspension(gate), isPaced: true };
  }

  /** The outcome for a message that waits at a gate. */
  suspension(gate: Gate): Failure {
    return { ...toFailure(gate.limits!), retryAt: gate.schedule() };
  }

  /**
   * Applies what a server's reply asks for. Returns when to try its message again; null if the usual schedule applies.
   *
   * @param gate of the destination
   */
  object(gate: Gate, { failure, host = null, domain, isDomainOnly }: Objection): number | null {
    const { throttle, message: reply, dsn } = failure;
    if (!throttle) return null;
    const { accepted, isProbing: isProbe } = gate;
    // The rejected connection still has its slot.
    const open = gate.slots.used - gate.opening - 1;
    const said = { throttle, reply, dsn, host, at: this.#terms.now() };
    const signal: Signal = { ...said, accepted, open, isProbe };
    if (isDomainOnly) return this.#objectToDomain(domain, gate, signal);
    this.#limit(gate, tighten(gate.limits, signal, this.#terms.minuteMs));
    return gate.isSuspended ? gate.schedule() : null;
  }

  /** Applies limits that were stored, by this worker before a restart or by another one. */
  restore(key: string, limits: Limits): void {
    if (!key.startsWith(DOMAIN)) {
      this.#limit(this.gate(key), limits, false);
      return;
    }
    const domain = key.slice(DOMAIN.length);
    const known = this.#domains.get(domain);
    if (!known || known.changedAt < limits.changedAt) this.#domains.set(domain, limits);
  }

  close(): void {
    for (const gate of this.#gates.values()) gate.close();
  }

  #limit(gate: Gate, limits: Limits, isNew = true): void {
    const known = gate.limits;
    if (known && known.changedAt >= limits.changedAt) return;
    gate.apply(limits);
    if (isNew) this.#options.onLimited?.(gate.key, limits);
    if (gate.isSuspended) this.onSuspended(gate);
  }

  #objectToDomain(domain: string, gate: Gate, signal: Signal): number {
    const { minuteMs } = this.#terms;
    const known = this.#domains.get(domain) ?? null;
    const isRelapse =
      known !== null && signal.at - known.suspendedUntil < RELAPSE_MINUTES * minuteMs;
    const limits = tighten(known, { ...signal, isProbe: isRelapse, open: 0 }, minuteMs);
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

const toFailure = ({ dsn, reply, host, throttle }: Limits): Failure => ({
  ...{ result: "delayed", dsn, message: reply, suppress: false, isPostponed: true },
  ...(host !== null && { host }),
  ...(throttle === "block" && { isBlock: true }),
});
