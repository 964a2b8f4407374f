import { Holds, park, readHolds, unpark } from "#server/core/operations/queue/holds.ts";
import type { LeasedRecipient, LeasedTable } from "#server/core/sending/outbox/email-leases.ts";
import type { Db } from "#server/db/client.ts";

import type { Queued } from "./source.ts";

/**
 * Cache TTL of the holds. Every pump applies a new hold within two seconds: this, plus the pause between
 * two lease queries.
 */
const HOLDS_TTL_MS = 1_000;
/** For rows parked by a worker that died while their hold ended. */
const UNPARK_INTERVAL_MS = 60_000;

/**
 * Applies the operators' holds to a queue. Leasing ignores holds to stay cheap. Rows that turn out to be on
 * hold are parked (next_attempt_at = infinity) until the hold ends.
 */
export class HeldMail<Item extends Queued> {
  readonly #db: Db;
  readonly #queue: LeasedTable;
  #holds = new Holds([]);
  #readAt = -Infinity;
  #unparkAt = -Infinity;

  constructor(db: Db, queue: LeasedTable) {
    this.#db = db;
    this.#queue = queue;
  }

  /** Reloads the holds at most once a second, and unparks rows whose hold has ended. */
  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#readAt < HOLDS_TTL_MS) return;
    const holds = await readHolds(this.#db);
    if (holds.isLessThan(this.#holds)) this.#unparkAt = now;
    this.#holds = holds;
    this.#readAt = now;
    if (now < this.#unparkAt) return;
    // One batch at a time, so that other mail is sent in between.
    const { isDone } = await unpark(this.#db, this.#queue);
    if (isDone) this.#unparkAt = now + UNPARK_INTERVAL_MS;
    else this.#readAt = -Infinity;
  }

  /** Whether a recipient of a company's mail is on hold, as far as this process knows. */
  covers(companyId: string, { destination }: Pick<LeasedRecipient, "destination">): boolean {
    return !this.#holds.isNone && this.#holds.covers(companyId, destination);
  }

  /** Parks the leased items that are on hold, and returns the rest. */
  async parkHeld(owner: string, leased: Item[]): Promise<Item[]> {
    if (this.#holds.isNone) return leased;
    const held: string[] = [];
    const rest = leased.flatMap((item) => {
      const recipients = item.recipients.filter((recipient) => {
        const isHeld = this.covers(item.companyId, recipient);
        if (isHeld) held.push(recipient.rowId);
        return !isHeld;
      });
      return recipients.length > 0 ? [{ ...item, recipients }] : [];
    });
    await park(this.#db, owner, held, this.#queue);
    return rest;
  }
}
