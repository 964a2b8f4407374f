import { Holds, readHolds } from "#server/core/operations/queue/holds.ts";
import { park } from "#server/core/operations/queue/park.ts";
import { unpark } from "#server/core/operations/queue/unpark.ts";
import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Db } from "#server/db/client.ts";

import type { Queued } from "./source.ts";

/** A hold is known to every pump within two seconds: this, and the pause between two claims. */
const FRESH_MS = 1_000;
/** Of what another worker put aside as a hold ended, and then died. */
const LOOK_AGAIN_MS = 60_000;

/**
 * What operators hold back of a queue. A claim knows nothing of it and so costs what it costs; what it
 * takes and is held is put aside, where no later claim meets it, until the hold ends.
 */
export class HeldMail<Item extends Queued> {
  readonly #db: Db;
  readonly #queue: Queue;
  #holds = new Holds([]);
  #readAt = -Infinity;
  #lookAgainAt = -Infinity;

  constructor(db: Db, queue: Queue) {
    this.#db = db;
    this.#queue = queue;
  }

  /** Learns what is held, at most once a second, and makes due what is held no longer. */
  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#readAt < FRESH_MS) return;
    const holds = await readHolds(this.#db);
    if (holds.isLessThan(this.#holds)) this.#lookAgainAt = now;
    this.#holds = holds;
    this.#readAt = now;
    if (now < this.#lookAgainAt) return;
    // A batch at a time: mail that was never held goes on in between.
    const { isDone } = await unpark(this.#db, this.#queue);
    if (isDone) this.#lookAgainAt = now + LOOK_AGAIN_MS;
    else this.#readAt = -Infinity;
  }

  /** Puts aside what is held of the claimed items, and returns the rest. */
  async withoutHeld(owner: string, claimed: Item[]): Promise<Item[]> {
    if (this.#holds.isNone) return claimed;
    const held: string[] = [];
    const rest = claimed.flatMap((item) => {
      const recipients = item.recipients.filter(({ rowId, destination }) => {
        const isHeld = this.#holds.covers(item.companyId, destination);
        if (isHeld) held.push(rowId);
        return !isHeld;
      });
      return recipients.length > 0 ? [{ ...item, recipients }] : [];
    });
    await park(this.#db, owner, held, this.#queue);
    return rest;
  }
}
