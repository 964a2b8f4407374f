import { LEASE_SECONDS } from "#server/core/outbox/claim-due.ts";
import type { ClaimedEmail, ClaimedRecipient } from "#server/core/outbox/claim-due.ts";

/** Nothing is started on a lease that is about to end. */
const LEASE_MARGIN_MS = 5_000;

type Held = {
  destination: string;
  /** Share of the email's body, in characters. */
  size: number;
  /** By this process's own monotonic clock, reckoned from before the lease was asked for. */
  leasedUntil: number;
};

/** The outbox rows that this process holds the leases of, from the claim until the outcome is recorded. */
export class Hand {
  readonly #rows = new Map<string, Held>();
  readonly #destinations = new Map<string, number>();
  #size = 0;

  /** Rows in hand. */
  get count(): number {
    return this.#rows.size;
  }

  /** Characters of the bodies in hand, about. */
  get size(): number {
    return this.#size;
  }

  get ids(): string[] {
    return [...this.#rows.keys()];
  }

  /**
   * Takes claimed emails, and returns them without the recipients that are in hand already: after an
   * outage of the database this process may be given rows that it is still working on.
   *
   * @param askedAt `performance.now()` before the claim
   */
  add(claimed: ClaimedEmail[], askedAt: number): ClaimedEmail[] {
    const leasedUntil = leaseEnd(askedAt);
    return claimed.flatMap((email) => {
      const recipients = email.recipients.filter(({ outboxId }) => !this.#rows.has(outboxId));
      const length = (email.body?.html?.length ?? 0) + (email.body?.text?.length ?? 0);
      const size = length / recipients.length;
      for (const { outboxId, destination } of recipients) {
        this.#rows.set(outboxId, { destination, size, leasedUntil });
        this.#destinations.set(destination, (this.#destinations.get(destination) ?? 0) + 1);
        this.#size += size;
      }
      return recipients.length > 0 ? [{ ...email, recipients }] : [];
    });
  }

  /** Those recipients whose lease is surely still ours. */
  leased(recipients: ClaimedRecipient[]): ClaimedRecipient[] {
    const now = performance.now() + LEASE_MARGIN_MS;
    return recipients.filter(({ outboxId }) => (this.#rows.get(outboxId)?.leasedUntil ?? 0) > now);
  }

  /** @param askedAt `performance.now()` before the leases were renewed */
  renew(outboxIds: string[], askedAt: number): void {
    for (const id of outboxIds) {
      const row = this.#rows.get(id);
      if (row) row.leasedUntil = leaseEnd(askedAt);
    }
  }

  drop(outboxIds: string[]): void {
    for (const id of outboxIds) {
      const row = this.#rows.get(id);
      if (!row) continue;
      this.#rows.delete(id);
      this.#size -= row.size;
      const left = this.#destinations.get(row.destination)! - 1;
      if (left > 0) this.#destinations.set(row.destination, left);
      else this.#destinations.delete(row.destination);
    }
  }

  /** Destinations with `count` rows or more in hand. */
  destinationsWith(count: number): string[] {
    return [...this.#destinations].filter(([, held]) => held >= count).map(([name]) => name);
  }
}

const leaseEnd = (askedAt: number) => askedAt + LEASE_SECONDS * 1000;
