import { setImmediate } from "node:timers/promises";

import type { MailHost } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import { createTtlCache } from "#server/core/shared/ttl-cache.ts";
import type { MailProvider } from "#server/core/platform/monitoring/mail-provider.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { Carrier, Delivery, Route } from "#worker/delivery/delivery.ts";
import type { TlsaFinder } from "#worker/delivery/mx/dane/tlsa-finder.ts";
import type { PolicyFinder } from "#worker/delivery/mx/mta-sts/policy-finder.ts";
import type { Gate } from "#worker/delivery/shaping/gate.ts";
import type { Limits } from "#worker/delivery/shaping/limits.ts";
import { Shaper, type ShaperOptions } from "#worker/delivery/shaping/shaper.ts";
import { simulateDelivery } from "#worker/delivery/simulate.ts";
import { type Sender, type Source, systemSource } from "#worker/delivery/sources/sources.ts";
import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";
import { type MissingExtension, splitIntoTransactions, type Transaction } from "#mail/smtp/envelope.ts";
import { type Failure, type Outcome, sameOutcomes, sortByRecipients, STOPPING, toOutcomes } from "#mail/smtp/outcome.ts";
import { type Job, SessionQueue } from "#mail/smtp/session-queue.ts";
import { classifyReply } from "#server/core/sending/replies/classify-reply.ts";
import { TIMEOUTS, type Timeouts } from "#mail/smtp/session.ts";
import { toWarmUpMail } from "#worker/delivery/warm-up/to-warm-up-mail.ts";
import type { WarmUp } from "#worker/delivery/warm-up/warm-up.ts";

import { SessionSlots } from "#mail/smtp/session-slots.ts";
import { DeadPeers } from "./dead-peers.ts";

import { createDestinationFinder, type Destination } from "./find-destination.ts";
import { openFirstPeer, type TlsConnection } from "./open-first-peer.ts";
import { Replies } from "./replies.ts";
import { sendOrConvert } from "./send-or-convert.ts";
import { tryOtherHost } from "./try-other-host.ts";

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
  findProvider?: (hosts: MailHost[]) => MailProvider | null;
  shaping?: ShaperOptions;
  /** How this machine appears to other servers; if omitted, always the same. */
  sourceOf?: (sender: Sender) => Source;
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

/** How long a blocked destination isn't reported again. */
const REPORTED_TTL_MS = 5 * 60_000;
/** How long to skip a destination none of whose hosts could be reached. */
const UNREACHABLE_TTL_MS = 2 * 60_000;
const REMEMBERED_MAX = 10_000;

/** A carrier whose limits its owner stores. */
export type ShapingCarrier = Carrier & {
  /** Applies stored limits. */
  restoreLimits(key: string, limits: Limits): void;
};

/**
 * Creates the carrier of this process. It reuses connections between deliveries, limits their number, and
 * keeps to the limits of destinations.
 */
export function createCarrier(options: CarrierOptions): ShapingCarrier {
  const {
    hostname,
    connectionsMax = 300,
    connectionsPerHostMax = 20,
    allowPrivateHosts = false,
    warmUp,
  } = options;
  const system = systemSource(hostname);
  const sourceOf = options.sourceOf ?? (() => system);
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const slots = new SessionSlots(connectionsMax);
  const shaper = new Shaper(slots, options.shaping);
  const store = new MailboxStore({ hostname, timeouts, slots, connectionsMax: connectionsPerHostMax });
  const replies = new Replies(shaper, hostname);
  const findDestination = createDestinationFinder({ ...options, allowPrivateHosts });
  const queues = new Map<string, { queue: SessionQueue; gate: Gate }>();
  const reported = createTtlCache<true>({ max: REMEMBERED_MAX, ttlMs: REPORTED_TTL_MS });
  const unreachable = createTtlCache<{ failure: Failure; at: number }>({
    ...{ max: REMEMBERED_MAX, ttlMs: UNREACHABLE_TTL_MS },
  });
  const dead = new DeadPeers();
  const running = new Set<Promise<Outcome[]>>();
  let [closed, draining] = [false, false];

  shaper.onSuspended = (suspended, domain) => {
    const wait = (job: Job) => replies.waitFor(job, suspended, domain);
    for (const { queue, gate } of [...queues.values()])
      if (gate === suspended) queue.fail(wait, domain?.split(" ")[0]);
  };

  const open = async (destination: Destination, { transaction }: Job) => {
    const connection = { hostname, timeouts, dead, transaction, onTls: options.onTls };
    const opened = await openFirstPeer(destination, connection);
    const { key, gateKey } = destination;
    if (!("result" in opened)) unreachable.delete(key);
    else if (gateKey !== null && opened.dsn === "4.4.1")
      unreachable.set(key, { failure: opened, at: Date.now() });
    return opened;
  };

  const queueFor = (destination: Destination, gate: Gate): SessionQueue => {
    const { key } = destination;
    const existing = queues.get(key);
    if (existing) return existing.queue;
    const queue: SessionQueue = new SessionQueue({
      open: (first) => open(destination, first),
      gate,
      asksToSlowDown: (reply) => classifyReply(reply, "mail").throttle !== undefined,
      onRejected: (failure, job) => replies.throttle({ destination, gate }, { failure, job }),
      postpone: (job) => (gate.isSuspended ? replies.waitFor(job, gate) : null),
      connectionsMax: connectionsPerHostMax,
      timeouts,
      onDrained: () => {
        if (queues.get(key)?.queue === queue) queues.delete(key);
      },
    });
    queues.set(key, { queue, gate });
    return queue;
  };

  const send = (sender: Delivery, destination: Destination, transaction: Transaction) =>
    new Promise<Outcome[] | MissingExtension>((resolve) => {
      if (draining) {
        resolve(sameOutcomes(transaction.recipients, STOPPING));
        return;
      }
      const gate = shaper.gate(destination.gateKey ?? destination.key);
      const place = { destination, gate };
      const { companyId = "", isBatch = false, mayBegin = () => true } = sender;
      const job: Job = {
        companyId,
        isBatch,
        transaction,
        mayBegin,
        settle: (verdicts, session) =>
          resolve(toOutcomes(transaction, replies.read(place, { job, verdicts, session }), session)),
        giveUp: (answer) => {
          gate.leave(job, "none");
          resolve("lacks" in answer ? answer : sameOutcomes(transaction.recipients, answer));
        },
      };
      gate.enter();
      queueFor(destination, gate).add(job);
    });

  /** Why mail on a route isn't attempted now. */
  const findObstacle = (
    { route, retryAskedAt = 0 }: Delivery,
    { key, gateKey, source }: Destination,
  ): Failure | null => {
    if (route.kind !== "mx" || gateKey === null || !source) return null;
    const place = route.domain + source.suffix;
    shaper.learn(place, shaper.gate(gateKey));
    const failed = unreachable.get(key);
    return (
      shaper.postpone(place, retryAskedAt) ??
      (failed && failed.at > retryAskedAt ? failed.failure : null)
    );
  };

  const reportBlock = (route: Route, outcomes: Outcome[]) => {
    const blocked = outcomes.find(({ isBlock }) => isBlock);
    if (!blocked || route.kind === "lmtp" || route.kind === "simulated") return;
    const destination = route.kind === "mx" ? route.domain : route.relay.host;
    if (reported.has(destination)) return;
    reported.set(destination, true);
    options.onBlocked?.({ destination, host: blocked.host ?? null, reply: blocked.message });
  };

  const carryTransaction = async (
    delivery: Delivery,
    transaction: Transaction,
  ): Promise<Outcome[]> => {
    const { route, sevenBit } = delivery;
    const destination = await findDestination(delivery, sourceOf(delivery));
    const { recipients } = transaction;
    if ("result" in destination) return sameOutcomes(recipients, destination);
    const obstacle = findObstacle(delivery, destination);
    if (obstacle) return sameOutcomes(recipients, obstacle);
    const mail = toWarmUpMail(delivery, transaction, destination);
    const wait = mail && (await warmUp?.admit(mail));
    if (wait) return sameOutcomes(recipients, wait);
    const attempt = (to: Destination, part: Transaction) =>
      sendOrConvert(part, sevenBit, (fitting) => send(delivery, to, fitting));
    const first = await attempt(destination, transaction);
    const outcomes = await tryOtherHost(first, destination, transaction, attempt);
    if (mail) warmUp?.putBack(mail, outcomes.filter(({ result }) => result === "delayed").length);
    reportBlock(route, outcomes);
    return outcomes;
  };

  const carry = async (delivery: Delivery): Promise<Outcome[]> => {
    const { envelopeFrom: from, recipients, message, dsn, sevenBit } = delivery;
    const isFixed = !sevenBit;
    const { transactions, refused } = splitIntoTransactions({
      from,
      recipients,
      message,
      isFixed,
      dsn,
    });
    const outcomes = await Promise.all(
      transactions.map((transaction) => carryTransaction(delivery, transaction)),
    );
    return sortByRecipients(recipients, [...refused, ...outcomes.flat()]);
  };

  return {
    restoreLimits: (key, limits) => shaper.restore(key, limits),
    postpone: (route, { retryAskedAt, ...sender } = {}) =>
      route.kind === "mx"
        ? shaper.postpone(route.domain + sourceOf(sender).suffix, retryAskedAt)
        : null,
    async deliver(delivery) {
      if (closed) throw new Error("The carrier is closed");
      if (delivery.testFailures) return simulateDelivery(delivery, delivery.testFailures, hostname);
      const { route } = delivery;
      const delivering =
        route.kind === "lmtp" ? store.deliver({ ...delivery, at: route.at }) : carry(delivery);
      running.add(delivering);
      return delivering.finally(() => running.delete(delivering));
    },
    async drain() {
      draining = true;
      await Promise.all([
        store.drain(),
        ...[...queues.values()].map(({ queue }) => queue.drain(STOPPING)),
      ]);
      // Let callers of `deliver` receive their outcomes.
      await setImmediate();
    },
    async close() {
      closed = true;
      await Promise.allSettled(running);
      await store.close();
      await Promise.all([...queues.values()].map(({ queue }) => queue.close()));
      shaper.close();
    },
  };
}
