import type { Reservation } from "#server/core/sending/warm-up/reserve-quota.ts";
import { quotaOn } from "#server/core/sending/warm-up/ramp.ts";

/** Reserved at a time: at least this many recipients, and this part of the day's quota. */
const BLOCK_MIN = 20;
const BLOCK_SHARE = 0.02;
/** The part of a day on which waiting mail is planned. */
const PLANNED_PART = 20 / 24;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** After the last day of a warm-up, what is left goes within an hour. */
const REST_MS = 3_600_000;

export type PoolTerms = {
  reserve: (wanted: number) => Promise<Reservation>;
  now: () => number;
  /** The worker processes that share the quota. */
  workers: () => number;
};

/** When to try again, in epoch milliseconds, and today's quota, which is used up. */
type Plan = { at: number; day: number; quota: number };

type Waiting = {
  count: number;
  resolve: (isTaken: boolean) => void;
  reject: (error: unknown) => void;
};

/** What this worker may still send of one quota today. It reserves blocks, so few emails cost a query. */
export class QuotaPool {
  readonly #terms: PoolTerms;
  #tokens = 0;
  #today: Reservation | null = null;
  #endsAt = -Infinity;
  /** Nothing is left for today. */
  #isSpent = false;
  #waiting: Waiting[] = [];
  #isReserving = false;
  /** Recipients that this worker planned, by the days from today. */
  #planned: number[] = [];

  constructor(terms: PoolTerms) {
    this.#terms = terms;
  }

  /** The last reservation, if it is of today. */
  get today(): Reservation | null {
    return this.#terms.now() < this.#endsAt ? this.#today : null;
  }

  /** The warm-up has ended. */
  get isUnlimited(): boolean {
    return this.today !== null && this.#quota === Infinity;
  }

  /** Takes from the quota, all or nothing. */
  take(count: number): boolean | Promise<boolean> {
    this.#turnDay();
    if (this.isUnlimited) return true;
    if (this.#waiting.length === 0) {
      if (this.#takeNow(count)) return true;
      if (this.#isSpent) return false;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ count, resolve, reject });
      void this.#reserve();
    });
  }

  /** Returns what was taken but not used. */
  putBack(count: number): void {
    this.#turnDay();
    if (this.today) this.#tokens += count;
  }

  /** Removes what is left of the reservations; null if there is nothing to return. */
  drain(): { date: string; unused: number } | null {
    const unused = this.#tokens;
    const { today } = this;
    this.#tokens = 0;
    return today && unused > 0 && !this.isUnlimited ? { date: today.date, unused } : null;
  }

  /** Plans mail that doesn't fit today for the first day with room, in the order of the calls. Call after `take`. */
  plan(count: number): Plan {
    const { day, first } = this.#today!;
    for (let ahead = 1; ; ahead++) {
      const quota = quotaOn(day + ahead, first) / this.#terms.workers();
      const planned = this.#planned[ahead] ?? 0;
      if (planned > 0 && planned + count > quota) continue;
      this.#planned[ahead] = planned + count;
      const start = this.#endsAt + (ahead - 1) * DAY_MS;
      const after =
        quota === Infinity ? Math.random() * REST_MS : (planned / quota) * DAY_MS * PLANNED_PART;
      return { at: Math.ceil((start + after) / MINUTE_MS) * MINUTE_MS, day, quota: this.#quota };
    }
  }

  get #quota(): number {
    return this.#today ? quotaOn(this.#today.day, this.#today.first) : 0;
  }

  #turnDay(): void {
    if (this.today) return;
    this.#tokens = 0;
    this.#isSpent = false;
    this.#planned = [];
  }

  #takeNow(count: number): boolean {
    if (this.#tokens < count) return false;
    this.#tokens -= count;
    return true;
  }

  async #reserve(): Promise<void> {
    if (this.#isReserving) return;
    this.#isReserving = true;
    try {
      // Messages that are admitted at the same time share a reservation.
      await Promise.resolve();
      while (this.#waiting.length > 0) await this.#reserveBlock();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#isReserving = false;
    }
  }

  async #reserveBlock(): Promise<void> {
    const needed = this.#waiting.reduce((sum, { count }) => sum + count, 0) - this.#tokens;
    const wanted = Math.max(needed, BLOCK_MIN, Math.ceil(Math.min(this.#quota, 1e6) * BLOCK_SHARE));
    const { now, reserve } = this.#terms;
    const askedAt = now();
    const today = await reserve(wanted);
    if (this.#today?.date !== today.date) [this.#tokens, this.#planned] = [0, []];
    this.#today = today;
    this.#endsAt = askedAt + today.secondsLeft * 1_000;
    this.#tokens += today.granted;
    this.#isSpent = today.granted < wanted && this.#quota < Infinity;
    this.#serve();
  }

  /** Serves those who wait, in order; all of them if the quota is spent. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      const { count, resolve } = this.#waiting[0]!;
      const isTaken = this.isUnlimited || this.#takeNow(count);
      if (!isTaken && !this.#isSpent) return;
      this.#waiting.shift();
      resolve(isTaken);
    }
  }
}
