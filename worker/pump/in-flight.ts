import { LEASE_SECONDS, type LeasedRecipient } from "#server/core/sending/outbox/email-leases.ts";
import type {
  BusyCompany,
  BusyDestination,
  ByteBudget,
} from "#server/core/sending/outbox/fair-leases.ts";
import { HEAVY_BYTES } from "#server/core/sending/outbox/queue-rows.ts";

import type { Queued } from "./source.ts";

/**
 * Limits for the bytes in flight, separate for small and large emails. An email can have some 30 MB, and
 * its message takes half as much again.
 */
const ROOM: ByteBudget = { light: 64 * 1024 * 1024, heavy: 64 * 1024 * 1024 };
/** How many times its share a destination can hold, including single emails beyond it. */
const FULL = 1.2;
/** No delivery starts on a lease that is about to expire. */
const LEASE_MARGIN_MS = 5_000;

/** The message of an email stays in memory until its last recipient has an outcome. */
type InFlightEmail = { companyId: string; size: number; recipients: number; isSingle: boolean };

/** How much is in flight to a destination: recipients, and the octets of their emails. */
export type DestinationLoad = { recipients: number; octets: number };

/** How much a company has in flight: recipients, and the octets of its light and heavy emails. */
type CompanyLoad = ByteBudget & { recipients: number };

/** With the recipients of single emails, by company. */
type CountedLoad = DestinationLoad & { singles: Map<string, number> };

type InFlightRow = {
  destination: string;
  email: InFlightEmail;
  /** Null once the lease is lost. */
  leasedUntil: Clocks | null;
};

/**
 * This process's clocks, in milliseconds. The monotonic one stands still while the machine is suspended, and the wall clock
 * may be set back, so a lease is valid only by both.
 */
type Clocks = { monotonic: number; wall: number };

export const readClocks = (): Clocks => ({ monotonic: performance.now(), wall: Date.now() });

/** The queue rows that this process has leased, from the lease query until the outcome is recorded. */
export class InFlight<Item extends Queued> {
  readonly #rows = new Map<string, InFlightRow>();
  readonly #destinations = new Map<string, CountedLoad>();
  readonly #companies = new Map<string, CompanyLoad>();
  readonly #size = { light: 0, heavy: 0 };

  get count(): number {
    return this.#rows.size;
  }

  /** The unused part of the memory budget, in octets. */
  get room(): ByteBudget {
    return { light: ROOM.light - this.#size.light, heavy: ROOM.heavy - this.#size.heavy };
  }

  get hasRoom(): boolean {
    return this.room.light > 0 || this.room.heavy > 0;
  }

  /** The last lease query may have skipped emails for lack of room. */
  get isRoomShort(): boolean {
    return this.#size.heavy > 0 || this.#size.light > ROOM.light / 2;
  }

  get ids(): string[] {
    return [...this.#rows.keys()];
  }

  /**
   * Adds leased emails and returns them without recipients already in flight: after a database outage this
   * process may lease rows again that it is still working on.
   *
   * @param askedAt the time before the lease query
   */
  add(leased: Item[], askedAt: Clocks): Item[] {
    const leasedUntil = leaseEnd(askedAt);
    return leased.flatMap((email) => {
      const recipients = email.recipients.filter(({ rowId }) => !this.#rows.has(rowId));
      const { companyId, size } = email;
      const isSingle = !email.isBatch && size <= HEAVY_BYTES;
      const held = { companyId, size, isSingle, recipients: recipients.length };
      if (recipients.length > 0) this.#countSize(held, held.size);
      for (const { rowId, destination } of recipients) {
        this.#rows.set(rowId, { destination, email: held, leasedUntil });
        this.#count(destination, 1, held);
      }
      return recipients.length > 0 ? [{ ...email, recipients }] : [];
    });
  }

  /** Those recipients whose lease is certainly still valid. */
  withValidLease(recipients: LeasedRecipient[]): LeasedRecipient[] {
    const now = readClocks();
    return recipients.filter(({ rowId }) => {
      const until = this.#rows.get(rowId)?.leasedUntil;
      if (!until) return false;
      const left = Math.min(until.monotonic - now.monotonic, until.wall - now.wall);
      return left > LEASE_MARGIN_MS;
    });
  }

  /**
   * Extends the leases that were renewed. The others that were asked for are lost, for good: another worker may be sending
   * these rows.
   *
   * @param askedAt the time before the leases were renewed
   */
  renew(asked: string[], renewed: string[], askedAt: Clocks): void {
    const kept = new Set(renewed);
    for (const id of asked) {
      const row = this.#rows.get(id);
      if (row?.leasedUntil) row.leasedUntil = kept.has(id) ? leaseEnd(askedAt) : null;
    }
  }

  drop(rowIds: string[]): void {
    for (const id of rowIds) {
      const row = this.#rows.get(id);
      if (!row) continue;
      this.#rows.delete(id);
      if (--row.email.recipients === 0) this.#countSize(row.email, -row.email.size);
      this.#count(row.destination, -1, row.email);
    }
  }

  /**
   * The destinations that reach either limit of `share`. Each company can have a few more single emails in flight to
   * them, until there is a fifth more than the share.
   *
   * @param singlesReserved recipients of each company
   */
  busyDestinations(share: DestinationLoad, singlesReserved: number): BusyDestination[] {
    const exceeds = (held: DestinationLoad, factor: number) =>
      held.recipients >= share.recipients * factor || held.octets >= share.octets * factor;
    return [...this.#destinations]
      .filter(([, held]) => exceeds(held, 1))
      .map(([destination, held]) => {
        const companies = [...held.singles].filter(([, count]) => count >= singlesReserved);
        const isFull = exceeds(held, FULL);
        return { destination, companies: isFull ? "all" : companies.map(([company]) => company) };
      });
  }

  /** Companies that have used up their share of the capacity, and which of their mail waits. Single emails get a fifth more. */
  get busyCompanies(): BusyCompany[] {
    const free = Math.max(SHARE_MIN, REFILL_AT - this.count);
    const light = Math.max(SHARE_OCTETS.min, this.room.light);
    return [...this.#companies].flatMap(([company, held]) => {
      const exceeds = (factor: number) =>
        held.recipients >= free * factor || held.light >= light * factor;
      const waiting: BusyCompany["waiting"] = [];
      if (exceeds(1)) waiting.push("batch");
      if (exceeds(1) || held.heavy > Math.max(0, this.room.heavy)) waiting.push("heavy");
      if (exceeds(FULL)) waiting.push("single");
      return waiting.length > 0 ? [{ company, waiting }] : [];
    });
  }

  #countSize({ companyId, size }: InFlightEmail, change: number): void {
    const kind = kindOf({ size });
    this.#size[kind] += change;
    this.#company(companyId)[kind] += change;
  }

  #company(id: string): CompanyLoad {
    const known = this.#companies.get(id);
    if (known) return known;
    const load = { recipients: 0, light: 0, heavy: 0 };
    this.#companies.set(id, load);
    return load;
  }

  #count(destination: string, change: 1 | -1, email: InFlightEmail): void {
    const company = this.#company(email.companyId);
    company.recipients += change;
    if (company.recipients === 0) this.#companies.delete(email.companyId);
    const held = this.#destinations.get(destination) ?? emptyLoad();
    held.recipients += change;
    held.octets += change * email.size;
    if (email.isSingle) {
      const singles = (held.singles.get(email.companyId) ?? 0) + change;
      if (singles > 0) held.singles.set(email.companyId, singles);
      else held.singles.delete(email.companyId);
    }
    if (held.recipients > 0) this.#destinations.set(destination, held);
    else this.#destinations.delete(destination);
  }
}

const emptyLoad = (): CountedLoad => ({ recipients: 0, octets: 0, singles: new Map() });
const kindOf = ({ size }: Pick<InFlightEmail, "size">) => (size > HEAVY_BYTES ? "heavy" : "light");
const leaseEnd = ({ monotonic, wall }: Clocks): Clocks => ({
  monotonic: monotonic + LEASE_SECONDS * 1000,
  wall: wall + LEASE_SECONDS * 1000,
});

const LEASE_MAX = 500;
/** Lease more rows only while no more than this many are in flight. */
export const REFILL_AT = 5_000;

/** The part of what is free that one destination may hold. */
const SHARE = 0.15;
const SHARE_MIN = 25;
/** The single emails of each company that a busy destination may still hold. */
const SINGLES_RESERVED = 25;
const SHARE_OCTETS = { min: 1024 * 1024, max: 32 * 1024 * 1024 };

/**
 * How many rows to lease with `count` of them in flight, and how much a destination may have in flight before
 * leasing skips it. Both shrink as the window fills: twenty slow destinations leave room for fast ones.
 */
export function leaseSize({ count, room }: { count: number; room: ByteBudget }): {
  limit: number;
  share: DestinationLoad;
} {
  const recipients = Math.max(SHARE_MIN, Math.round(SHARE * (REFILL_AT - count)));
  const octets = SHARE * Math.min(room.light, room.heavy);
  return {
    // The whole batch may be for one destination.
    limit: Math.min(LEASE_MAX, recipients),
    share: {
      recipients,
      octets: Math.min(SHARE_OCTETS.max, Math.max(SHARE_OCTETS.min, octets)),
    },
  };
}

/** The largest share of the time for lease queries that find little, because they skip the mail of busy destinations. */
const SKIPPING_SHARE = 0.2;
const PAUSE_MAX_MS = 250;

type Busy = { busy: BusyDestination[]; busyCompanies: BusyCompany[] };

/** Destinations and companies with so much in flight that lease queries skip their mail. */
export class BusyDestinations<Item extends Queued> {
  readonly #inFlight: InFlight<Item>;
  #skipped: Busy = { busy: [], busyCompanies: [] };
  #readsAll = false;
  #nextAt = 0;
  #readAllAt = 0;

  constructor(inFlight: InFlight<Item>) {
    this.#inFlight = inFlight;
  }

  /** For a lease query that begins now. It may read all mail that it skips, perhaps a million rows, now and then. */
  toSkip(): Busy & { readsAll: boolean } {
    this.#skipped = this.#now();
    this.#readsAll = this.#isSkipping && performance.now() >= this.#readAllAt;
    return { ...this.#skipped, readsAll: this.#readsAll };
  }

  /**
   * Backs off after a lease query. One that returned fewer rows than its limit delays the next by 4× its own duration,
   * at most `PAUSE_MAX_MS`. The next full scan is delayed by 4×, or 1× if this query was full.
   *
   * @param startedAt `performance.now()` before the query
   */
  afterLease(startedAt: number, { isFull }: { isFull: boolean }): void {
    const now = performance.now();
    const tookMs = now - startedAt;
    const pauseMs = tookMs * (1 / SKIPPING_SHARE - 1);
    if (this.#readsAll) this.#readAllAt = now + (isFull ? tookMs : pauseMs);
    this.#nextAt = isFull ? 0 : now + Math.min(PAUSE_MAX_MS, pauseMs);
  }

  /** The next query would skip less than the last one. */
  get isFreed(): boolean {
    if (!this.#isSkipping) return false;
    const now = this.#now();
    return (
      isDestinationFreed(this.#skipped.busy, now.busy) ||
      isCompanyFreed(this.#skipped.busyCompanies, now.busyCompanies)
    );
  }

  /** How long the next query has to wait, in milliseconds. */
  get pauseMs(): number {
    if (!this.#isSkipping || this.isFreed) return 0;
    return Math.max(0, this.#nextAt - performance.now());
  }

  get #isSkipping(): boolean {
    return this.#skipped.busy.length + this.#skipped.busyCompanies.length > 0;
  }

  #now(): Busy {
    const { share } = leaseSize(this.#inFlight);
    return {
      busy: this.#inFlight.busyDestinations(share, SINGLES_RESERVED),
      busyCompanies: this.#inFlight.busyCompanies,
    };
  }
}

function isDestinationFreed(before: BusyDestination[], now: BusyDestination[]): boolean {
  const still = new Map(now.map(({ destination, companies }) => [destination, companies]));
  return before.some(({ destination, companies }) => {
    const waiting = still.get(destination);
    if (waiting === "all") return false;
    return !waiting || companies === "all" || companies.some((one) => !waiting.includes(one));
  });
}

function isCompanyFreed(before: BusyCompany[], now: BusyCompany[]): boolean {
  const still = new Map(now.map(({ company, waiting }) => [company, waiting]));
  return before.some(({ company, waiting }) =>
    waiting.some((priority) => !still.get(company)?.includes(priority)),
  );
}
