import type { BusyDestination } from "#server/core/sending/outbox/lease-due-emails.ts";
import { HEAVY_BYTES } from "#server/core/sending/outbox/outbox-priority.ts";
import { LEASE_SECONDS } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { LeasedRecipient, ByteBudget } from "#server/core/sending/outbox/lease-due-emails.ts";

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
export type Clocks = { monotonic: number; wall: number };

export const readClocks = (): Clocks => ({ monotonic: performance.now(), wall: Date.now() });

/** The queue rows that this process has leased, from the lease query until the outcome is recorded. */
export class InFlight<Item extends Queued> {
  readonly #rows = new Map<string, InFlightRow>();
  readonly #destinations = new Map<string, CountedLoad>();
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
      if (recipients.length > 0) this.#size[kindOf(held)] += held.size;
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
      if (--row.email.recipients === 0) this.#size[kindOf(row.email)] -= row.email.size;
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

  #count(destination: string, change: 1 | -1, email: InFlightEmail): void {
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
const kindOf = ({ size }: InFlightEmail) => (size > HEAVY_BYTES ? "heavy" : "light");
const leaseEnd = ({ monotonic, wall }: Clocks): Clocks => ({
  monotonic: monotonic + LEASE_SECONDS * 1000,
  wall: wall + LEASE_SECONDS * 1000,
});
