import { SmtpReply } from "./smtp-reply.ts";

/** Slot utilization above which idle connections are closed sooner and large networks are capped. */
const PRESSURE_SHARE = 2 / 3;
/** Share of the slots that a wide network may take under pressure. */
const WIDE_SHARE = 1 / 6;
/** Share of the slots reserved for known networks. */
const RESERVE_SHARE = 1 / 6;
/** When no slot is left, a connection idle for this long may be closed to make room. */
const EVICTABLE_MS = 5_000;
const SWEEP_EVERY_MS = 1_000;
/** Message bytes that count as progress. */
const BYTES_OF_PROGRESS = 1_024;
const KNOWN_NETWORKS_MAX = 10_000;

export type SlotOptions = {
  /** Total number of connections. */
  max: number;
  perNetworkMax: number;
  /** How long a connection may go without progress, normally and under pressure. */
  idleMs: number;
  pressureIdleMs: number;
};

/** The holder of a slot. */
export type Holder = {
  /** Null when not limited, such as a proxy or this machine. */
  network: string | null;
  wideNetwork: string;
  /** Ends the connection with a reply. */
  end: (reply: SmtpReply) => void;
};

type Slot = Holder & {
  isTrusted: boolean;
  /** Whether the client is waiting for us. */
  isWorking: boolean;
  progressAt: number;
  /** Message bytes since the last progress. */
  bytes: number;
};

const TOO_MANY = () =>
  new SmtpReply(421, "4.7.0", "Too many connections from your network, try again later");

/**
 * Shares a listener's connections so that idle clients can't take them all. A connection keeps its slot by
 * making progress: a recipient, a message or a sign-in, not NOOP, RSET or EHLO. Networks that have sent
 * clean mail or signed in before have reserved slots and keep the normal timeout.
 */
export class ConnectionSlots<Key extends object> {
  readonly #options: SlotOptions;
  readonly #now: () => number;
  readonly #slots = new Map<Key, Slot>();
  /** Known networks, the newest last. */
  readonly #known = new Set<string>();
  /** Runs while there are connections. */
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /**
   * Gives a connection a slot, which it keeps until `leave`.
   *
   * @throws SmtpReply when no slot is available to it
   */
  enter(key: Key, holder: Holder): void {
    const { network } = holder;
    const isTrusted = network === null || this.isKnown(network);
    if (
      network !== null &&
      this.#count((slot) => slot.network === network) >= this.#options.perNetworkMax
    )
      throw TOO_MANY();
    if (!isTrusted && this.#isPressed()) this.#requireShare(holder);
    this.#requireRoom(isTrusted);
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
    this.#slots.set(key, {
      ...holder,
      isTrusted,
      isWorking: false,
      progressAt: this.#now(),
      bytes: 0,
    });
  }

  /** Whether a network has sent clean mail or signed in. */
  isKnown(network: string): boolean {
    return this.#known.has(network);
  }

  /** Records progress. */
  progress(key: Key): void {
    const slot = this.#slots.get(key);
    if (slot) slot.progressAt = this.#now();
  }

  /** Records a chunk of a message. */
  receive(key: Key, bytes: number): void {
    const slot = this.#slots.get(key);
    if (!slot) return;
    slot.bytes += bytes;
    if (slot.bytes < BYTES_OF_PROGRESS) return;
    slot.bytes = 0;
    this.progress(key);
  }

  /** Marks the client's network as known, after a sign-in or a clean message. */
  trust(key: Key): void {
    this.progress(key);
    const slot = this.#slots.get(key);
    if (!slot) return;
    slot.isTrusted = true;
    if (slot.network === null) return;
    this.#known.delete(slot.network);
    this.#known.add(slot.network);
    if (this.#known.size > KNOWN_NETWORKS_MAX)
      this.#known.delete(this.#known.values().next().value!);
  }

  /** Keeps the connection open while its client waits for `work`. Success counts as progress. */
  async whileWorking<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const slot = this.#slots.get(key);
    if (slot) slot.isWorking = true;
    try {
      const result = await work();
      this.progress(key);
      return result;
    } finally {
      if (slot) slot.isWorking = false;
    }
  }

  leave(key: Key): void {
    this.#slots.delete(key);
    if (this.#slots.size === 0) this.stop();
  }

  /** Closes connections that have made no progress for too long. */
  sweep(): void {
    for (const [key, slot] of this.#slots) {
      const { idleMs, pressureIdleMs } = this.#options;
      const limit = this.#isPressed() && !slot.isTrusted ? pressureIdleMs : idleMs;
      if (this.#idleMs(slot) > limit) this.#end(key, slot);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #isPressed(): boolean {
    return this.#slots.size >= this.#options.max * PRESSURE_SHARE;
  }

  #requireShare({ wideNetwork }: Holder): void {
    const used = this.#count((slot) => !slot.isTrusted && slot.wideNetwork === wideNetwork);
    if (used >= Math.max(1, Math.floor(this.#options.max * WIDE_SHARE))) throw TOO_MANY();
  }

  #requireRoom(isTrusted: boolean): void {
    const { max } = this.#options;
    const room = isTrusted ? max : max - Math.floor(max * RESERVE_SHARE);
    if (this.#slots.size < room) return;
    const idlest = this.#idlestStranger();
    if (!idlest)
      throw new SmtpReply(421, "4.3.2", "The server has too many connections, try again later");
    this.#end(...idlest);
  }

  #idlestStranger(): [Key, Slot] | undefined {
    const strangers = [...this.#slots].filter(
      ([, slot]) => !slot.isTrusted && this.#idleMs(slot) >= EVICTABLE_MS,
    );
    return strangers.sort(([, a], [, b]) => a.progressAt - b.progressAt)[0];
  }

  #idleMs(slot: Slot): number {
    return slot.isWorking ? 0 : this.#now() - slot.progressAt;
  }

  #end(key: Key, slot: Slot): void {
    this.#slots.delete(key);
    slot.end(new SmtpReply(421, "4.4.2", "Idle for too long, closing the connection"));
  }

  #count(isOne: (slot: Slot) => boolean): number {
    let count = 0;
    for (const slot of this.#slots.values()) if (isOne(slot)) count += 1;
    return count;
  }
}
