import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { SigningKey } from "#server/core/domains/dkim/load-signing-keys.ts";
import { SigningKeyCache } from "#server/core/domains/dkim/signing-key-cache.ts";
import { findLocalRecipients } from "#server/core/mailboxes/find-local-recipients.ts";
import { OUTBOX_CHANNEL } from "#server/core/outbox/wake-pump.ts";
import { claimDue, type ClaimedEmail } from "#server/core/outbox/claim-due.ts";
import { envelopeSender } from "#server/core/outbox/envelope-sender.ts";
import { recordOutcomes, type RecipientOutcome } from "#server/core/outbox/record-outcomes.ts";
import { releaseLeases } from "#server/core/outbox/release-leases.ts";
import { renewLeases } from "#server/core/outbox/renew-leases.ts";

import { backoffMs } from "./backoff.ts";
import { Hand, type Share } from "./hand.ts";
import { OutcomeWriter } from "./outcome-writer.ts";
import { type Envelope, planDeliveries } from "./plan-deliveries.ts";
import { prepareMessage } from "./prepare-message.ts";
import type { PumpOptions } from "./pump-options.ts";
import { Signal } from "./signal.ts";
import {
  toRecipientOutcomes,
  troubleOfOurs,
  uncomposable,
  withoutFalseDenials,
} from "./outcomes.ts";

const CLAIM_MAX = 500;
/** A new claim is made when no more than this is in hand. */
const REFILL_AT = 5_000;
/** Claims leave a destination alone that has this much in hand: slow ones must not fill the hand. Less starves a fast one. */
const DESTINATION_SHARE: Share = { recipients: 750, octets: 32 * 1024 * 1024 };
const POLL_MS = 1_000;
/** Between claims that found little, so that a busy channel does not make a statement of every row. */
const PAUSE_MS = 5;
const RENEW_EVERY_MS = 10_000;
/** Emails composed and signed at the same time: enough to keep the thread pool busy. */
const LANES = 16;
const DELIVERIES_GRACE_MS = 5_000;
const FLUSH_GRACE_MS = 1_500;

type Addressed = Envelope & { message: Buffer; local: Set<string> };
type Found = { local: Set<string>; keys: Map<string, SigningKey | Error> };

/**
 * Takes due recipients from the outbox, makes their messages, hands them to the carrier and records
 * what became of each. Any number of pumps may work on one outbox.
 */
export class Pump {
  readonly owner = randomUUID();
  readonly #options: PumpOptions;
  readonly #hand = new Hand();
  readonly #writer: OutcomeWriter<RecipientOutcome>;
  readonly #signingKeys: SigningKeyCache;
  readonly #signal = new Signal();
  readonly #deliveries = new Set<Promise<void>>();
  #stopping = false;
  #stopped: Promise<void> | null = null;
  #loop: Promise<void> | null = null;
  #renewal: NodeJS.Timeout | null = null;
  /** The last claim was a full one, so more is probably due. */
  #more = false;
  /** Destinations that the last claim left alone. */
  #busy: string[] = [];

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#signingKeys = new SigningKeyCache(options.connection.db);
    this.#writer = new OutcomeWriter<RecipientOutcome>({
      write: (outcomes) => recordOutcomes(options.connection.db, this.owner, outcomes),
      onWritten: (outcomes) => {
        const roomWasShort = this.#hand.isRoomShort;
        this.#hand.drop(outcomes.map(({ rowId }) => rowId));
        const mayBeDue = this.#more || roomWasShort || this.#isFreed();
        if (mayBeDue && this.#hasRoom()) this.#signal.raise();
      },
      log: options.log,
    });
  }

  /** Resolves once the pump hears of new rows. */
  async start(): Promise<void> {
    await this.#options.connection.sql.listen(OUTBOX_CHANNEL, () => this.#signal.raise());
    this.#renewal = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
    this.#loop = this.#run();
    this.#signal.raise();
  }

  /**
   * Claims nothing more, lets running deliveries end for five seconds, records what is known and gives
   * the rest back. Done within seven seconds, also without a database.
   */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    this.#signal.raise();
    if (this.#renewal) clearInterval(this.#renewal);
    await Promise.race([this.#deliveriesDone(), delay(DELIVERIES_GRACE_MS, null, { ref: false })]);
    await Promise.race([this.#handOver(), delay(FLUSH_GRACE_MS, null, { ref: false })]);
  }

  async #deliveriesDone(): Promise<void> {
    await this.#loop;
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
  }

  async #handOver(): Promise<void> {
    await this.#writer.flush();
    try {
      await releaseLeases(this.#options.connection.db, this.owner, this.#hand.ids);
    } catch (error) {
      this.#options.log.warn({ err: error }, "Leases are left to run out");
    }
  }

  /** A destination that the last claim left alone has room again. */
  #isFreed(): boolean {
    if (this.#busy.length === 0) return false;
    const busy = new Set(this.#hand.destinationsWith(DESTINATION_SHARE));
    return this.#busy.some((name) => !busy.has(name));
  }

  #hasRoom(): boolean {
    if (this.#stopping || this.#writer.failing) return false;
    return this.#hand.count <= REFILL_AT && this.#hand.hasRoom;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping) {
      await this.#signal.wait(this.#options.pollMs ?? POLL_MS);
      if (!this.#hasRoom()) continue;
      try {
        await this.#claim();
        if (failures > 0) this.#options.log.info("The outbox can be read again");
        failures = 0;
        if (this.#more) this.#signal.raise();
        else await delay(PAUSE_MS);
      } catch (error) {
        if (failures++ === 0) this.#options.log.error({ err: error }, "The outbox cannot be read");
        await delay(backoffMs(failures));
      }
    }
  }

  async #claim(): Promise<void> {
    const { db } = this.#options.connection;
    const askedAt = performance.now();
    this.#busy = this.#hand.destinationsWith(DESTINATION_SHARE);
    const claim = {
      ...{ owner: this.owner, limit: CLAIM_MAX },
      ...{ room: this.#hand.room, busy: this.#busy },
    };
    const claimed = await claimDue(db, claim);
    const emails = this.#hand.add(claimed, askedAt);
    const recipients = emails.flatMap((email) => email.recipients);
    this.#more = recipients.length >= CLAIM_MAX;
    if (recipients.length === 0) return;
    try {
      const [local, keys] = await Promise.all([
        findLocalRecipients(
          db,
          recipients.map(({ recipient }) => recipient),
        ),
        this.#signingKeys.load(emails.flatMap(({ domainId }) => domainId ?? [])),
      ]);
      this.#track(this.#sendAll(emails, { local, keys }));
    } catch (error) {
      // Not renewed any more, so they are due again when their leases run out.
      this.#hand.drop(recipients.map(({ rowId }) => rowId));
      throw error;
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#deliveries.delete(tracked));
    this.#deliveries.add(tracked);
  }

  async #sendAll(emails: ClaimedEmail[], found: Found): Promise<void> {
    const queue = emails.values();
    const lane = async () => {
      for (const email of queue) await this.#send(email, found);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  async #send(email: ClaimedEmail, { local, keys }: Found): Promise<void> {
    if (this.#stopping) return;
    const key = email.domainId === null ? undefined : keys.get(email.domainId);
    const { connection, ...options } = this.#options;
    const prepared = await prepareMessage(email, key, { ...options, db: connection.db });
    if (prepared.message === null) {
      const { reason, error, hopeless } = prepared;
      this.#options.log.error({ err: error, emailId: email.id, hopeless }, reason);
      this.#writer.add(hopeless ? uncomposable(email, reason) : troubleOfOurs(email, reason));
      return;
    }
    for (const envelope of planDeliveries(email.recipients, { ...this.#options, local }))
      this.#track(this.#deliver(email, { ...envelope, message: prepared.message, local }));
  }

  async #deliver(email: ClaimedEmail, envelope: Addressed): Promise<void> {
    if (this.#stopping) return;
    const recipients = this.#hand.leased(envelope.recipients);
    const lost = envelope.recipients.filter((recipient) => !recipients.includes(recipient));
    this.#hand.drop(lost.map(({ rowId }) => rowId));
    if (recipients.length === 0) return;
    const addressed = { id: email.id, recipients };
    this.#writer.add(await this.#outcomesOf(addressed, envelope));
  }

  async #outcomesOf(
    email: Pick<ClaimedEmail, "id" | "recipients">,
    { route, message, local }: Addressed,
  ): Promise<RecipientOutcome[]> {
    const { carrier, hostname, log } = this.#options;
    try {
      const outcomes = await carrier.deliver({
        route: route(),
        envelopeFrom: envelopeSender(email.id, hostname),
        recipients: email.recipients.map(({ recipient }) => recipient),
        message,
      });
      return toRecipientOutcomes(email, withoutFalseDenials(outcomes, local));
    } catch (error) {
      log.error({ err: error, emailId: email.id }, "A delivery broke off");
      return troubleOfOurs(email, "Delivery is not possible at the moment");
    }
  }

  async #renew(): Promise<void> {
    const askedAt = performance.now();
    try {
      const ids = await renewLeases(this.#options.connection.db, this.owner, this.#hand.ids);
      this.#hand.renew(ids, askedAt);
    } catch (error) {
      this.#options.log.warn({ err: error }, "Leases cannot be renewed");
    }
  }
}
