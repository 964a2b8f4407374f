import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { type SigningDomain, SigningKeyCache } from "#server/core/sending/dkim/dkim-keys.ts";
import {
  type LeasedRecipient,
  msUntilDue,
  releaseLeases,
  renewLeases,
} from "#server/core/sending/outbox/email-leases.ts";
import { LeaseLoop } from "#worker/lease-loop.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

import { BusyDestinations, InFlight, leaseSize, readClocks, REFILL_AT } from "./in-flight.ts";
import {
  deliverAndCount,
  type MaySend,
  type OutgoingMessage,
  toOutgoing,
} from "./deliver-envelope.ts";
import {
  deliveryKind,
  type Envelope,
  findLocalAddresses,
  type LocalAddresses,
  planDeliveries,
  separatePostponed,
} from "./plan-deliveries.ts";
import { inHeavyLane, inLanes, type Prepared } from "./prepare.ts";
import { HeldMail } from "./held-mail.ts";
import { withoutUnsent } from "./outcomes.ts";
import { itemOrigin, type MailQueue, type PumpOptions, type Queued } from "./source.ts";

/** Pause after a lease that found all due rows. */
const PAUSE_MS = 5;
const RENEW_EVERY_MS = 10_000;

type EnvelopeJob = { envelope: Envelope; outgoing: OutgoingMessage; known: LocalAddresses };
type Lookups = LocalAddresses & { keys: Map<string, SigningDomain | Error> };

/**
 * Leases due recipients from a queue, prepares and delivers their messages, and records the outcomes. Any
 * number of pumps can work on one queue.
 */
export class Pump<Item extends Queued, Result extends { rowId: string }> {
  readonly owner = randomUUID();
  readonly #source: MailQueue<Item, Result>;
  readonly #options: PumpOptions;
  readonly #inFlight = new InFlight<Item>();
  readonly #busy = new BusyDestinations<Item>(this.#inFlight);
  readonly #heldMail: HeldMail<Item>;
  readonly #loop: LeaseLoop<Result>;
  readonly #signingKeys: SigningKeyCache;
  #renewal: NodeJS.Timeout | null = null;
  /** The last batch was full, so more rows are probably due. */
  #hasMore = false;

  constructor(source: MailQueue<Item, Result>, options: PumpOptions) {
    this.#source = source;
    this.#options = options;
    this.#heldMail = new HeldMail<Item>(options.connection.db, source.queue);
    this.#signingKeys = new SigningKeyCache(options.connection.db);
    this.#loop = new LeaseLoop<Result>({
      connection: options.connection,
      log: options.log,
      what: `rows of ${source.queue}`,
      channel: source.channel,
      pollMs: options.pollMs,
      untilDueMs: () => msUntilDue(options.connection.db, source.queue),
      pauseMs: PAUSE_MS,
      lease: () => this.#fill(),
      write: (results) => source.record(this.owner, results),
      onWritten: (outcomes) => {
        const roomWasShort = this.#inFlight.isRoomShort;
        this.#inFlight.drop(rowIds(outcomes));
        const mayBeDue = this.#hasMore || roomWasShort || this.#busy.isFreed;
        if (mayBeDue && this.#hasRoom()) this.#loop.wake();
      },
      settle: (done) => {
        if (this.#renewal) clearInterval(this.#renewal);
        return drainCarrier(options.carrier, done);
      },
      release: () => this.#release(this.#inFlight.ids),
    });
  }

  get isStalled(): boolean {
    return this.#loop.isStalled;
  }

  /** Resolves once the pump listens for new rows. */
  async start(): Promise<void> {
    this.#renewal = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
    await this.#loop.start();
  }

  /** Stops sending, records outcomes and releases the other leases. Ends in time even without a database. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  #hasRoom(): boolean {
    if (this.#loop.isPaused) return false;
    return this.#inFlight.count <= REFILL_AT && this.#inFlight.hasRoom;
  }

  /** Leases more if there is room. */
  async #fill(): Promise<"more" | "all" | "none"> {
    while (this.#busy.pauseMs > 0 && !this.#loop.isStopping)
      await this.#loop.wait(this.#busy.pauseMs);
    if (this.#loop.isPaused) return "none";
    // Even without room: holds reach mail that waits in the carrier.
    await this.#heldMail.refresh();
    if (!this.#hasRoom()) return "none";
    await this.#lease();
    return this.#hasMore ? "more" : "all";
  }

  async #lease(): Promise<void> {
    const askedAt = readClocks();
    const { limit } = leaseSize(this.#inFlight);
    const leased = await this.#source.lease({
      owner: this.owner,
      limit,
      room: this.#inFlight.room,
      ...this.#busy.toSkip(),
    });
    this.#hasMore = leased.flatMap((item) => item.recipients).length >= limit;
    this.#busy.afterLease(askedAt.monotonic, { isFull: this.#hasMore });
    // Rows in flight can be among them, leased again. They stay leased, so that their outcomes are recorded.
    const inFlight = new Set(this.#inFlight.ids);
    let ids = rowIds(leased.flatMap((item) => item.recipients)).filter((id) => !inFlight.has(id));
    try {
      const due = await this.#heldMail.parkHeld(this.owner, leased);
      const items = this.#inFlight
        .add(await this.#source.filter(this.owner, due), askedAt)
        .filter((item) => !this.#delaySuspect(item));
      const recipients = items.flatMap((item) => item.recipients);
      ids = rowIds(recipients);
      if (recipients.length === 0) return;
      const found = await this.#lookUp(items, recipients);
      this.#loop.track(inLanes(items, (item) => this.#send(item, found)));
    } catch (error) {
      await this.#release(ids, false);
      throw error;
    }
  }

  async #lookUp(items: Item[], recipients: LeasedRecipient[]): Promise<Lookups> {
    const [known, keys] = await Promise.all([
      findLocalAddresses(this.#options.connection.db, recipients),
      this.#signingKeys.load(items.flatMap((item) => this.#source.signer(item) ?? [])),
    ]);
    return { ...known, keys };
  }

  async #send(leased: Item, { keys, ...known }: Lookups): Promise<void> {
    if (this.#loop.isStopping) return;
    const origin = itemOrigin(this.#source, leased);
    const { companyId, isTest = false } = leased;
    const here = { ...this.#options, ...known, companyId, isTest, origin };
    const planned = planDeliveries(leased.recipients, here);
    const signer = keys.get(this.#source.signer(leased) ?? "");
    const means = { source: this.#source, carrier: this.#options.carrier, signer };
    const { envelopes, item, results } = separatePostponed(leased, planned, means);
    if (results.length > 0) this.#loop.record(results);
    if (envelopes.length === 0) return;
    const prepared = await this.#prepare(item, signer);
    if (prepared === null) return;
    if (prepared.message === null) {
      const { reason, error, isPermanent } = prepared;
      this.#options.log.error({ err: error, id: item.id, isPermanent }, reason);
      this.#loop.record(this.#source[isPermanent ? "failed" : "delayed"](item, reason));
      return;
    }
    const outgoing = toOutgoing(this.#source, item, { ...prepared, signer });
    for (const envelope of envelopes)
      this.#loop.track(this.#deliver(item, { envelope, outgoing, known }));
  }

  /** Retries mail that may have killed the workers as after a temporary failure, so that other mail is delivered in between. */
  #delaySuspect(item: Item): boolean {
    if (!item.recipients.some(({ isSuspect }) => isSuspect)) return false;
    const { id } = item;
    this.#options.log.error({ id }, "two workers died while delivering this; retrying later");
    this.#loop.record(this.#source.delayed(item, "Delivery was interrupted repeatedly"));
    return true;
  }

  /** Null if the pump stops. */
  async #prepare(item: Item, signer: SigningDomain | Error | undefined): Promise<Prepared | null> {
    const prepared = await inHeavyLane(item.size, async () =>
      this.#loop.isStopping ? null : this.#source.prepare(item, signer),
    );
    return (prepared && (await this.#source.scan?.(item, prepared))) ?? prepared;
  }

  async #deliver(item: Item, job: EnvelopeJob): Promise<void> {
    if (this.#loop.isStopping) return;
    const all = job.envelope.recipients;
    const recipients = this.#inFlight.withValidLease(all);
    await this.#release(rowIds(all.filter((one) => !recipients.includes(one))), false);
    if (recipients.length === 0) return;
    const envelope = { ...job.envelope, recipients };
    this.#loop.record(await this.#attempt({ ...item, recipients }, { ...job, envelope }));
  }

  async #attempt(item: Item, { envelope, outgoing, known }: EnvelopeJob): Promise<Result[]> {
    const { connection, carrier, log } = this.#options;
    const maySend: MaySend = (recipients) =>
      this.#inFlight.withValidLease(recipients).length === recipients.length &&
      !recipients.some((recipient) => this.#heldMail.covers(item.companyId, recipient));
    const means = { db: connection.db, carrier, resolved: known.resolved, maySend };
    try {
      const outcomes = await deliverAndCount(
        { queue: this.#source.queue, item, envelope, outgoing },
        means,
      );
      const attempted = withoutUnsent(item, outcomes);
      await this.#release(rowIds(attempted.revoked));
      return this.#source.toResults(attempted.item, attempted.outcomes, deliveryKind(envelope.way));
    } catch (error) {
      log.error({ err: error, id: item.id }, "a delivery failed unexpectedly");
      return this.#source.delayed(item, "Delivery is temporarily unavailable");
    }
  }

  /** Gives up rows that weren't sent: they are due again at once, or when their leases expire. */
  async #release(ids: string[], isDue = true): Promise<void> {
    if (ids.length === 0) return;
    this.#inFlight.drop(ids);
    // Without a database, rows that aren't due yet need no attempt each: their leases expire.
    if (!isDue && this.#loop.isPaused) return;
    const { queue } = this.#source;
    try {
      await releaseLeases(this.#options.connection.db, this.owner, ids, { queue, isDue });
    } catch (error) {
      this.#options.log.warn({ err: error }, "could not release leases; they will expire");
    }
  }

  async #renew(): Promise<void> {
    const askedAt = readClocks();
    const asked = this.#inFlight.ids;
    try {
      const { db } = this.#options.connection;
      const renewed = await renewLeases(db, this.owner, asked, this.#source.queue);
      this.#inFlight.renew(asked, renewed, askedAt);
    } catch (error) {
      this.#options.log.warn({ err: error }, "could not renew leases");
    }
  }
}

const rowIds = (rows: readonly { rowId: string }[]): string[] => rows.map(({ rowId }) => rowId);

const DELIVERIES_GRACE_MS = 5_000;
/** If the reply to a message that was already sent is lost, the message is delivered twice. */
const REPLIES_GRACE_MS = 25_000;

/**
 * Drains a carrier: waits up to 25 seconds for replies to messages already sent, up to 5 seconds for the
 * rest.
 */
async function drainCarrier(carrier: Carrier, done: Promise<void>): Promise<void> {
  await Promise.race([
    done,
    Promise.all([carrier.drain(), delay(DELIVERIES_GRACE_MS, null, { ref: false })]),
    delay(REPLIES_GRACE_MS, null, { ref: false }),
  ]);
}
