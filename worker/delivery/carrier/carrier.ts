import { setImmediate } from "node:timers/promises";

import type { MxHost } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import { createTtlCache } from "#server/core/shared/caches.ts";
import type { MailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { Carrier, Delivery, Route } from "#worker/delivery/delivery.ts";
import type { TlsaFinder } from "#worker/delivery/mx/tlsa-finder.ts";
import type { PolicyFinder } from "#worker/delivery/mx/mta-sts.ts";
import type { Gate } from "#worker/delivery/shaping/gate.ts";
import type { Limits } from "#worker/delivery/shaping/limits.ts";
import { Shaper, type ShaperOptions } from "#worker/delivery/shaping/shaper.ts";
import { type MessageSender, type Source, systemSource } from "#worker/delivery/sources.ts";
import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";
import {
  type MissingExtension,
  splitIntoTransactions,
  type Transaction,
} from "#mail/smtp/envelope.ts";
import {
  type Failure,
  type Outcome,
  sameOutcomes,
  sortByRecipients,
  STOPPING,
  toOutcomes,
} from "#mail/smtp/outcome.ts";
import { type Job, SessionQueue } from "#mail/smtp/session-queue.ts";
import { classifyReply } from "#server/core/sending/server-replies/classify-reply.ts";
import { type Session, TIMEOUTS, type Timeouts } from "#mail/smtp/session.ts";
import { toWarmUpMail, type WarmUp } from "#worker/delivery/warm-up.ts";
import { SessionSlots } from "#mail/smtp/session-slots.ts";
import { simulatedRecipient } from "#server/core/sending/test-mode/simulated-recipient.ts";

import { DeadPeers, openFirstPeer, type TlsConnection } from "./open-first-peer.ts";
import { createDestinationFinder, type Destination } from "./destinations.ts";
import { Replies } from "./replies.ts";
import { sendOrConvert, tryOtherHost } from "./second-tries.ts";

export type CarrierOptions = {
  /** The name for EHLO. */
  hostname: string;
  resolver: Resolver;
  /** The port of mail servers found by MX. */
  outboundPort: number;
  connectionsMax?: number;
  /** To all mail servers of one domain together. */
  connectionsPerHostMax?: number;
  timeouts?: Partial<Timeouts>;
  /** Allows MX records to point to loopback and private networks: local mode and tests. */
  allowPrivateHosts?: boolean;
  /** If omitted, MTA-STS policies are ignored. */
  findPolicy?: PolicyFinder | undefined;
  /** If omitted, TLSA records are ignored. */
  tlsaFinder?: TlsaFinder | undefined;
  /** The provider that runs the mail servers; null if unknown. */
  findProvider?: (hosts: MxHost[]) => MailProvider | null;
  shaping?: ShaperOptions;
  /** How this machine appears to other servers; if omitted, always the same. */
  sourceOf?: (sender: MessageSender) => Source;
  /** If omitted, nothing has daily quotas. */
  warmUp?: Pick<WarmUp, "admit" | "putBack">;
  /** Called with each connection to a mail server of a domain, for TLS reports. */
  onTls?: (connection: TlsConnection) => void;
  /** Called when a destination blocks this machine, at most once every few minutes per destination. */
  onBlocked?: (block: Block) => void;
};

/** A server's rejection of this machine. */
export type Block = {
  /** The recipients' domain, or the smarthost. */
  destination: string;
  host: string | null;
  reply: string;
};

const CONNECTIONS_MAX = 300;
const CONNECTIONS_PER_HOST_MAX = 20;
/** How long a blocked destination isn't reported again. */
const REPORTED_TTL_MS = 5 * 60_000;
/** How long to skip a destination none of whose hosts could be reached. */
const UNREACHABLE_TTL_MS = 2 * 60_000;
const REMEMBERED_MAX = 10_000;

/**
 * Delivers to mail servers, the smarthost and mailboxes. Reuses connections between deliveries, limits their number, and
 * respects the limits of destinations. One per process.
 */
export class OutboundCarrier implements Carrier {
  readonly #options: CarrierOptions & { allowPrivateHosts: boolean };
  readonly #timeouts: Timeouts;
  readonly #connectionsPerHostMax: number;
  readonly #ownSource: Source;
  readonly #store: MailboxStore;
  readonly #shaper: Shaper;
  readonly #replies: Replies;
  readonly #findDestination: ReturnType<typeof createDestinationFinder>;
  /** The queues with messages or connections, by destination. */
  readonly #queues = new Map<string, { queue: SessionQueue; gate: Gate }>();
  /** Destinations that block this machine and were reported recently. */
  readonly #reported = createTtlCache<true>({ max: REMEMBERED_MAX, ttlMs: REPORTED_TTL_MS });
  /** Destinations none of whose hosts could be reached. */
  readonly #unreachable = createTtlCache<{ failure: Failure; at: number }>({
    max: REMEMBERED_MAX,
    ttlMs: UNREACHABLE_TTL_MS,
  });
  readonly #dead = new DeadPeers();
  readonly #running = new Set<Promise<Outcome[]>>();
  #isDraining = false;
  #isClosed = false;

  constructor(options: CarrierOptions) {
    const { hostname, connectionsMax = CONNECTIONS_MAX, shaping } = options;
    this.#options = { allowPrivateHosts: false, ...options };
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts };
    this.#connectionsPerHostMax = options.connectionsPerHostMax ?? CONNECTIONS_PER_HOST_MAX;
    this.#ownSource = systemSource(hostname);
    const slots = new SessionSlots(connectionsMax);
    this.#store = new MailboxStore({
      hostname,
      timeouts: this.#timeouts,
      slots,
      connectionsMax: this.#connectionsPerHostMax,
    });
    this.#shaper = new Shaper(slots, shaping);
    this.#shaper.onSuspended = (gate, domain) => this.#failSuspended(gate, domain);
    this.#replies = new Replies(this.#shaper, hostname);
    this.#findDestination = createDestinationFinder(this.#options);
  }

  /** Applies stored limits. */
  restoreLimits(key: string, limits: Limits): void {
    this.#shaper.restore(key, limits);
  }

  postpone(
    route: Route,
    { retryAskedAt, ...sender }: Pick<Delivery, "companyId" | "domain" | "retryAskedAt"> = {},
  ): Failure | null {
    if (route.kind !== "mx") return null;
    return this.#shaper.postpone(route.domain + this.#sourceOf(sender).suffix, retryAskedAt);
  }

  async deliver(delivery: Delivery): Promise<Outcome[]> {
    if (this.#isClosed) throw new Error("The carrier is closed");
    const { route, testFailures } = delivery;
    if (testFailures) return simulateDelivery(delivery, testFailures, this.#options.hostname);
    const delivering =
      route.kind === "lmtp"
        ? this.#store.deliver({ ...delivery, at: route.at })
        : this.#carry(delivery);
    this.#running.add(delivering);
    return delivering.finally(() => this.#running.delete(delivering));
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    const queues = [...this.#queues.values()];
    await Promise.all([this.#store.drain(), ...queues.map(({ queue }) => queue.drain(STOPPING))]);
    // Let callers of `deliver` receive their outcomes.
    await setImmediate();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.#store.close();
    await Promise.all([...this.#queues.values()].map(({ queue }) => queue.close()));
    this.#shaper.close();
  }

  #sourceOf(sender: MessageSender): Source {
    return this.#options.sourceOf?.(sender) ?? this.#ownSource;
  }

  async #carry(delivery: Delivery): Promise<Outcome[]> {
    const { envelopeFrom: from, recipients, message, dsn, sevenBit } = delivery;
    const whole = { from, recipients, message, dsn, isFixed: !sevenBit };
    const { transactions, refused } = splitIntoTransactions(whole);
    const outcomes = await Promise.all(
      transactions.map((transaction) => this.#carryTransaction(delivery, transaction)),
    );
    return sortByRecipients(recipients, [...refused, ...outcomes.flat()]);
  }

  async #carryTransaction(delivery: Delivery, transaction: Transaction): Promise<Outcome[]> {
    const { recipients } = transaction;
    const { warmUp } = this.#options;
    const destination = await this.#findDestination(delivery, this.#sourceOf(delivery));
    if ("result" in destination) return sameOutcomes(recipients, destination);
    const obstacle = this.#findObstacle(delivery, destination);
    if (obstacle) return sameOutcomes(recipients, obstacle);
    const mail = toWarmUpMail(delivery, transaction, destination);
    const wait = mail && (await warmUp?.admit(mail));
    if (wait) return sameOutcomes(recipients, wait);
    const attempt = (to: Destination, part: Transaction) =>
      sendOrConvert(part, delivery.sevenBit, (fitting) => this.#send(delivery, to, fitting));
    const first = await attempt(destination, transaction);
    const outcomes = await tryOtherHost(first, destination, transaction, attempt);
    if (mail) warmUp?.putBack(mail, outcomes.filter(({ result }) => result === "delayed").length);
    this.#reportBlock(delivery.route, outcomes);
    return outcomes;
  }

  /** Why mail on a route isn't attempted now. */
  #findObstacle(
    { route, retryAskedAt = 0 }: Delivery,
    { key, gateKey, source }: Destination,
  ): Failure | null {
    if (route.kind !== "mx" || gateKey === null || !source) return null;
    const place = route.domain + source.suffix;
    this.#shaper.learn(place, this.#shaper.gate(gateKey));
    const failed = this.#unreachable.get(key);
    return (
      this.#shaper.postpone(place, retryAskedAt) ??
      (failed && failed.at > retryAskedAt ? failed.failure : null)
    );
  }

  #send(
    { companyId = "", isBatch = false, mayBegin = () => true }: Delivery,
    destination: Destination,
    transaction: Transaction,
  ): Promise<Outcome[] | MissingExtension> {
    const { recipients } = transaction;
    if (this.#isDraining) return Promise.resolve(sameOutcomes(recipients, STOPPING));
    const gate = this.#shaper.gate(destination.gateKey ?? destination.key);
    return new Promise((resolve) => {
      const job: Job = {
        companyId,
        isBatch,
        transaction,
        mayBegin,
        settle: (verdicts, session) => {
          const replies = this.#replies.read({ destination, gate }, { job, verdicts, session });
          resolve(toOutcomes(transaction, replies, session));
        },
        giveUp: (why) => {
          gate.leave(job, "none");
          resolve("lacks" in why ? why : sameOutcomes(recipients, why));
        },
      };
      gate.enter();
      this.#queueFor(destination, gate).add(job);
    });
  }

  #queueFor(destination: Destination, gate: Gate): SessionQueue {
    const { key } = destination;
    const existing = this.#queues.get(key);
    if (existing) return existing.queue;
    const queue: SessionQueue = new SessionQueue({
      open: (first) => this.#open(destination, first),
      gate,
      asksToSlowDown: (reply) => classifyReply(reply, "mail").throttle !== undefined,
      onRejected: (failure, job) => this.#replies.throttle({ destination, gate }, { failure, job }),
      postpone: (job) => (gate.isSuspended ? this.#replies.waitFor(job, gate) : null),
      connectionsMax: this.#connectionsPerHostMax,
      timeouts: this.#timeouts,
      onDrained: () => {
        if (this.#queues.get(key)?.queue === queue) this.#queues.delete(key);
      },
    });
    this.#queues.set(key, { queue, gate });
    return queue;
  }

  async #open(destination: Destination, { transaction }: Job): Promise<Session | Failure> {
    const { hostname, onTls } = this.#options;
    const opened = await openFirstPeer(destination, {
      hostname,
      timeouts: this.#timeouts,
      dead: this.#dead,
      transaction,
      onTls,
    });
    const { key, gateKey } = destination;
    if (!("result" in opened)) this.#unreachable.delete(key);
    else if (gateKey !== null && opened.dsn === "4.4.1")
      this.#unreachable.set(key, { failure: opened, at: Date.now() });
    return opened;
  }

  /** @param domain with the source's suffix, if only that domain is suspended */
  #failSuspended(suspended: Gate, domain?: string): void {
    const wait = (job: Job) => this.#replies.waitFor(job, suspended, domain);
    for (const { queue, gate } of [...this.#queues.values()])
      if (gate === suspended) queue.fail(wait, domain?.split(" ")[0]);
  }

  #reportBlock(route: Route, outcomes: Outcome[]): void {
    const blocked = outcomes.find(({ isBlock }) => isBlock);
    if (!blocked || route.kind === "lmtp" || route.kind === "simulated") return;
    const destination = route.kind === "mx" ? route.domain : route.relay.host;
    if (this.#reported.has(destination)) return;
    this.#reported.set(destination, true);
    this.#options.onBlocked?.({ destination, host: blocked.host ?? null, reply: blocked.message });
  }
}

/**
 * Returns the outcomes that the addresses of a test email's recipients ask for, without DNS or connections. Suppresses
 * no address. The carrier calls it before it opens any connection.
 *
 * @param failures temporary failures so far of each recipient
 */
const simulateDelivery = (
  { recipients }: Pick<Delivery, "recipients">,
  failures: number[],
  hostname: string,
): Outcome[] =>
  recipients.map((recipient, at) => ({
    recipient,
    suppress: false,
    ...simulateOutcome(recipient.toLowerCase(), failures[at] ?? 0, hostname),
  }));

type Simulated = Omit<Outcome, "recipient" | "suppress">;

const ACCEPTED: Simulated = {
  result: "delivered",
  dsn: "2.0.0",
  message: "250 2.0.0 Accepted in test mode",
};

function simulateOutcome(recipient: string, failures: number, hostname: string): Simulated {
  const simulated = simulatedRecipient(recipient, hostname);
  switch (simulated.kind) {
    case "bounced": {
      const { dsn } = simulated;
      return { result: "bounced", dsn, message: `550 ${dsn} Bounced in test mode` };
    }
    case "delayed":
      return failures < simulated.failures
        ? { result: "delayed", dsn: "4.2.0", message: "451 4.2.0 Delayed in test mode" }
        : ACCEPTED;
    case "opened":
    case "clicked":
    case "complained":
      return { ...ACCEPTED, reaction: simulated.kind };
    // Suppressed recipients are skipped before.
    case "suppressed":
    case "delivered":
      return ACCEPTED;
  }
}
