import { SessionSlots, type SlotOwner } from "#mail/smtp/session-slots.ts";

import { connectionsAt, hasLapsed, type Limits, rateAt } from "./limits.ts";

export type GateOptions = {
  now: () => number;
  /** A minute; less in tests. */
  minuteMs: number;
  /** The worker processes that share the limits. */
  workers: () => number;
  slots: SessionSlots;
};

/** Messages that may be sent at once after a pause, as a part of the rate per minute. */
const BURST = 1 / 12;
/** Messages of a limited destination that wait in memory; the others wait in the queue. */
const BACKLOG_MIN = 10;
/** How far ahead waiting messages are scheduled, in minutes: by then, the rate has changed. */
const HORIZON_MINUTES = 10;
/** The rate grows, so messages are scheduled more densely than it allows now. */
const OPTIMISM = 2;

/**
 * Lets messages pass to one provider, or one set of mail servers, as its limits allow. Without limits, everything
 * passes. After a suspension, one message is sent as a probe; the others follow once it has a reply.
 */
export class Gate {
  readonly key: string;
  readonly slots: SessionSlots;
  /** Connections that have a slot but aren't open yet. */
  opening = 0;
  readonly #options: GateOptions;
  readonly #accepted: Meter;
  #limits: Limits | null = null;
  #needsProbe = false;
  #probe: object | null = null;
  #tokens = 0;
  #refilledAt = 0;
  #scheduledUntil = 0;
  #backlog = 0;
  readonly #waiting = new Set<SlotOwner>();
  #timer: NodeJS.Timeout | null = null;

  constructor(key: string, options: GateOptions) {
    this.key = key;
    this.#options = options;
    this.#accepted = new Meter(options.minuteMs);
    this.slots = new SessionSlots(() => this.#connectionsMax(), options.slots);
  }

  get limits(): Limits | null {
    const { now, minuteMs } = this.#options;
    return this.#limits && !hasLapsed(this.#limits, now(), minuteMs) ? this.#limits : null;
  }

  get isSuspended(): boolean {
    const { limits } = this;
    return limits !== null && this.#options.now() < limits.suspendedUntil;
  }

  /** Enough messages wait in memory; the others should wait in the queue. */
  get isFull(): boolean {
    if (!this.#limits || this.#backlog < BACKLOG_MIN) return false;
    const rate = this.#rate();
    if (rate === null && !this.#needsProbe) return false;
    return this.#backlog >= (rate ?? BACKLOG_MIN);
  }

  /** Messages that the destination accepted from all workers in the last minute. */
  get accepted(): number {
    return this.#accepted.read(this.#options.now()) * this.#options.workers();
  }

  /** The suspension has ended, but no message has had a reply since. */
  get isProbing(): boolean {
    return this.#needsProbe;
  }

  /** Applies new limits; null removes them. */
  apply(limits: Limits | null): void {
    const now = this.#options.now();
    this.#limits = limits;
    if (limits && limits.suspendedUntil > now) this.#needsProbe = true;
    else if (!limits) this.#needsProbe = false;
    this.#probe = null;
    this.#tokens = 0;
    this.#refilledAt = Math.max(now, limits?.suspendedUntil ?? 0);
    this.#scheduledUntil = 0;
    this.#wake();
  }

  /** How many messages may pass now. If none, `dispatch` of the owner is called when one may. */
  room(owner: SlotOwner): number {
    if (!this.#limits) return Infinity;
    const room = this.#room();
    if (room === 0) this.#waitFor(owner);
    return room;
  }

  /** Whether this message may be sent now. If not, `dispatch` of the owner is called when one may. */
  pass(owner: SlotOwner, job: object): boolean {
    if (!this.#limits) return true;
    if (this.room(owner) === 0) return false;
    if (this.#needsProbe) this.#probe = job;
    else this.#tokens--;
    return true;
  }

  enter(): void {
    this.#backlog++;
  }

  /** @param reply the destination's reply to the message; `none` if there was none */
  leave(job: object, reply: "accepted" | "rejected" | "none"): void {
    this.#backlog--;
    if (reply === "accepted") this.#accepted.count(this.#options.now());
    if (this.#probe !== job) return;
    this.#probe = null;
    if (reply !== "none") this.#needsProbe = false;
    this.#wake();
  }

  /** When to retry a message that must wait, spread so that few wait twice. In epoch milliseconds. */
  schedule(): number {
    const { now, minuteMs } = this.#options;
    const soonest = now() + minuteMs * BURST;
    const start = this.isSuspended ? this.#limits!.suspendedUntil : soonest;
    const rate = this.#rate();
    const spacing = rate === null ? 0 : minuteMs / (OPTIMISM * rate);
    const next = Math.max(start, this.#scheduledUntil) + spacing;
    const horizon = start + HORIZON_MINUTES * minuteMs;
    if (next > horizon) return horizon + Math.random() * HORIZON_MINUTES * minuteMs;
    this.#scheduledUntil = next;
    return next;
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #room(): number {
    const now = this.#options.now();
    if (hasLapsed(this.#limits!, now, this.#options.minuteMs)) this.#limits = null;
    if (!this.#limits) return Infinity;
    if (this.isSuspended || this.#probe) return 0;
    if (this.#needsProbe) return 1;
    const rate = this.#rate();
    if (rate === null) return Infinity;
    this.#refill(rate, now);
    return Math.floor(this.#tokens);
  }

  #refill(rate: number, now: number): void {
    const passed = Math.max(0, now - this.#refilledAt) / this.#options.minuteMs;
    this.#tokens = Math.min(Math.max(1, rate * BURST), this.#tokens + passed * rate);
    this.#refilledAt = Math.max(now, this.#refilledAt);
  }

  /** This worker's share of the rate per minute; null for no limit. */
  #rate(): number | null {
    const { now, minuteMs, workers } = this.#options;
    const rate = this.#limits && rateAt(this.#limits, now(), minuteMs);
    return rate === null ? null : rate / workers();
  }

  #connectionsMax(): number {
    const { now, minuteMs, workers } = this.#options;
    const max = this.#limits && connectionsAt(this.#limits, now(), minuteMs);
    return max === null ? Infinity : Math.max(1, Math.floor(max / workers()));
  }

  #waitFor(owner: SlotOwner): void {
    this.#waiting.add(owner);
    // The reply to the probe wakes everyone.
    if (this.#timer || this.#probe) return;
    this.#timer = setTimeout(() => this.#wake(), this.#waitMs()).unref();
  }

  /** Until the suspension ends, or the next message may pass. */
  #waitMs(): number {
    const { now, minuteMs } = this.#options;
    if (this.isSuspended) return this.#limits!.suspendedUntil - now();
    const rate = this.#rate() ?? Infinity;
    return Math.max(1, ((1 - this.#tokens) * minuteMs) / rate);
  }

  #wake(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const owners = [...this.#waiting];
    this.#waiting.clear();
    for (const owner of owners) owner.dispatch();
    this.slots.serve();
  }
}

/** Counts events of about the last `windowMs`: those of this window, and its share of the one before. */
export class Meter {
  readonly #windowMs: number;
  #startedAt = 0;
  #current = 0;
  #previous = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  count(now: number): void {
    this.#turn(now);
    this.#current++;
  }

  read(now: number): number {
    this.#turn(now);
    const rest = 1 - (now - this.#startedAt) / this.#windowMs;
    return Math.round(this.#current + this.#previous * rest);
  }

  #turn(now: number): void {
    const passed = now - this.#startedAt;
    if (passed < this.#windowMs) return;
    const isNext = passed < 2 * this.#windowMs;
    this.#previous = isNext ? this.#current : 0;
    this.#current = 0;
    this.#startedAt = isNext ? this.#startedAt + this.#windowMs : now;
  }
}
