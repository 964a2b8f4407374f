import { setImmediate } from "node:timers/promises";

import type { Resolver } from "#server/gateways/dns.ts";
import type { Carrier, Delivery, Outcome, Route } from "#worker/delivery/delivery.ts";
import type { Failure } from "#worker/delivery/mx/find-mail-hosts.ts";
import type { PolicyFinder } from "#worker/delivery/mx/mta-sts/policy-finder.ts";
import type { Transaction } from "#worker/delivery/smtp/envelope.ts";
import { TIMEOUTS, type Timeouts } from "#worker/delivery/smtp/timeouts.ts";
import type { Verdict } from "#worker/delivery/smtp/transact.ts";

import { Blocks } from "./blocks.ts";
import { classifyReply } from "./classify-reply.ts";
import { ConnectionSlots } from "./connection-slots.ts";
import { DeadPeers } from "./dead-peers.ts";
import { DestinationQueue } from "./destination-queue.ts";
import { createDestinationFinder, type Destination } from "./find-destination.ts";
import { openFirstPeer } from "./open-first-peer.ts";
import { sendOrConvert, type Sent } from "./send-or-convert.ts";
import { splitDelivery } from "./split-delivery.ts";

export type CarrierOptions = {
  /** The name for EHLO. */
  hostname: string;
  resolver: Resolver;
  /** The port of mail hosts found by MX. */
  outboundPort: number;
  connectionsMax?: number;
  /** To all mail hosts of one domain together. */
  connectionsPerHostMax?: number;
  timeouts?: Partial<Timeouts>;
  /** Allows MX records to point to loopback and private networks: local mode and tests. */
  allowPrivateHosts?: boolean;
  /** If omitted, MTA-STS policies are ignored. */
  findPolicy?: PolicyFinder;
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

const UNSENT: Failure = {
  ...{ result: "delayed", dsn: "4.3.2", message: "Posthouse is stopping" },
  ...{ suppress: false, isUnsent: true },
};

type Answer = { answer: Verdict[] | Failure; host?: string | undefined };

/** Creates the carrier of this process. It reuses connections between deliveries and limits their number. */
export function createCarrier(options: CarrierOptions): Carrier {
  const {
    hostname,
    connectionsMax = 300,
    connectionsPerHostMax = 20,
    allowPrivateHosts = false,
  } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const slots = new ConnectionSlots(connectionsMax);
  const findDestination = createDestinationFinder({ ...options, allowPrivateHosts });
  const queues = new Map<string, DestinationQueue>();
  const blocks = new Blocks();
  const dead = new DeadPeers();
  const running = new Set<Promise<Outcome[]>>();
  let closed = false;
  let draining = false;

  const queueFor = (destination: Destination): DestinationQueue => {
    const { key } = destination;
    const existing = queues.get(key);
    if (existing) return existing;
    const queue: DestinationQueue = new DestinationQueue({
      open: () => openFirstPeer(destination, { hostname, timeouts, dead }),
      slots,
      connectionsMax: connectionsPerHostMax,
      timeouts,
      onDrained: () => {
        if (queues.get(key) === queue) queues.delete(key);
      },
    });
    queues.set(key, queue);
    return queue;
  };

  const recordBlock = (route: Route, key: string, outcome: Outcome) => {
    if (route.kind === "lmtp") return;
    const { answer, host } = asBlock(outcome);
    // Hosts with many customers apply each customer's own rules, so a later rejection concerns that domain
    // only.
    const destination = route.kind === "mx" ? route.domain : route.relay.host;
    const domain = outcome.isAfterRecipient && destination;
    if (!blocks.add(domain ?? key, { answer, host })) return;
    options.onBlocked?.({ destination, host: host ?? null, reply: outcome.message });
    if (route.kind === "mx") queues.get(key)?.fail(answer, { host, domain });
  };

  const send = (destination: Destination, transaction: Transaction) =>
    new Promise<Sent>((resolve) => {
      const settle = (answer: Sent["answer"], host?: string) => resolve({ answer, host });
      if (draining) settle(UNSENT);
      else queueFor(destination).add({ transaction, settle });
    });

  const carryTransaction = async (
    { route, sevenBit }: Delivery,
    transaction: Transaction,
  ): Promise<Outcome[]> => {
    const destination = await findDestination(route);
    if ("result" in destination) return toOutcomes(transaction, { answer: destination });
    const { key } = destination;
    // A smarthost may relay the reply of one destination; mail to others continues.
    const known = route.kind === "mx" ? (blocks.find(key) ?? blocks.find(route.domain)) : null;
    if (known) return toOutcomes(transaction, known);
    const outcomes = toOutcomes(
      transaction,
      await sendOrConvert(transaction, sevenBit, (fitting) => send(destination, fitting)),
    );
    const blocked = outcomes.find(({ isBlock }) => isBlock);
    if (blocked) recordBlock(route, key, blocked);
    return outcomes;
  };

  const carry = async (delivery: Delivery): Promise<Outcome[]> => {
    const { transactions, refused } = splitDelivery(delivery);
    const outcomes = await Promise.all(
      transactions.map((transaction) => carryTransaction(delivery, transaction)),
    );
    return sortByRecipients(delivery.recipients, [...refused, ...outcomes.flat()]);
  };

  return {
    async deliver(delivery) {
      if (closed) throw new Error("The carrier is closed");
      const delivering = carry(delivery);
      running.add(delivering);
      return delivering.finally(() => running.delete(delivering));
    },
    async drain() {
      draining = true;
      await Promise.all([...queues.values()].map((queue) => queue.drain(UNSENT)));
      // Let callers of `deliver` receive their outcomes.
      await setImmediate();
    },
    async close() {
      closed = true;
      await Promise.allSettled(running);
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** The outcome for all other mail that the block applies to. */
function asBlock({ result, dsn, message, host, isAfterRecipient }: Outcome) {
  const answer: Failure = { result, dsn, message, suppress: false, isBlock: true };
  return { answer: { ...answer, ...(isAfterRecipient && { isAfterRecipient }) }, host };
}

const toOutcomes = ({ recipients }: Transaction, { answer, host }: Answer): Outcome[] =>
  recipients.map((recipient, at) => ({
    recipient,
    ...(host === undefined ? {} : { host }),
    ...(Array.isArray(answer) ? readVerdict(answer[at]!) : answer),
  }));

function readVerdict(verdict: Verdict): Failure {
  if (verdict.stage === "lost") {
    const { error, contentSent } = verdict;
    const note = contentSent ? " after the whole message was sent; it may arrive twice" : "";
    return { result: "delayed", dsn: error.dsn, message: error.message + note, suppress: false };
  }
  return classifyReply(verdict.reply, verdict.stage);
}

function sortByRecipients(recipients: string[], outcomes: Outcome[]): Outcome[] {
  const byRecipient = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return recipients.map((recipient) => byRecipient.get(recipient)!);
}
