import type { Logger } from "pino";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import {
  OTHER,
  type Quota,
  quotaOn,
  recordFirstSending,
  type Reservation,
  reserveQuota,
  returnQuota,
  WARM_UP_DAYS,
  warmUpSubjects,
  type WarmUpSubjects,
} from "#server/core/sending/warm-up/warm-up.ts";
import type { Db } from "#server/db/client.ts";
import type { Failure } from "#mail/smtp/outcome.ts";
import type { Transaction } from "#mail/smtp/envelope.ts";

import type { Destination } from "./carrier/destinations.ts";
import type { Delivery } from "./delivery.ts";

const NOTHING: WarmUpSubjects = { hasServer: false, domains: new Set() };

const UNKNOWN_QUOTA: Failure = {
  result: "delayed",
  dsn: "4.3.0",
  suppress: false,
  message: "Delivery is temporarily unavailable",
};

/** A message to other servers. */
export type WarmUpMail = {
  /** The name that it is sent from, if not the first one. */
  source: string | null;
  /** Who runs the mail servers; null if unknown. */
  provider: string | null;
  /** The sending domain. */
  domain: string | null;
  recipients: number;
  isBatch: boolean;
};

type Options = {
  db: Db;
  localMode: boolean;
  workers: () => number;
  log: Logger;
  now?: () => number;
};

type NamedPool = { quota: Quota; pool: QuotaPool };

/** Keeps new servers and domains within their daily quotas at mail providers, together with the other workers. */
export class WarmUp {
  readonly #options: Required<Options>;
  readonly #pools = new Map<string, NamedPool>();
  #subjects = NOTHING;
  #settings = "";

  constructor(options: Options) {
    this.#options = { now: () => Date.now(), ...options };
  }

  async start(): Promise<void> {
    await recordFirstSending(this.#options.db);
    await this.refresh();
  }

  /** Returns unused reservations. Call after the last delivery. */
  async stop(): Promise<void> {
    await this.#returnRest();
  }

  async #returnRest(): Promise<void> {
    const { db, log } = this.#options;
    for (const { quota, pool } of this.#pools.values()) {
      const rest = pool.drain();
      if (!rest) continue;
      await returnQuota(db, quota, rest).catch((err: unknown) =>
        log.warn({ err }, "could not return a part of a warm-up's quota"),
      );
    }
  }

  /** Takes a message from today's quotas. If it doesn't fit, returns why and until when it waits. Never rejects. */
  admit(mail: WarmUpMail): Promise<Failure | null> | null {
    const pools = this.#poolsOf(mail);
    return pools.every(({ pool }) => pool.isUnlimited) ? null : this.#take(pools, mail);
  }

  /** Returns what was admitted for recipients that the server didn't accept or reject for good. */
  putBack(mail: WarmUpMail, recipients: number): void {
    if (recipients === 0) return;
    for (const { pool } of this.#poolsOf(mail)) pool.putBack(recipients);
  }

  async #take(pools: NamedPool[], { recipients }: WarmUpMail): Promise<Failure | null> {
    for (const [at, named] of pools.entries()) {
      const failure = await this.#takeFrom(named, recipients);
      if (failure === null) continue;
      for (const { pool } of pools.slice(0, at)) pool.putBack(recipients);
      return failure;
    }
    return null;
  }

  async #takeFrom(named: NamedPool, recipients: number): Promise<Failure | null> {
    try {
      return (await named.pool.take(recipients)) ? null : waitFor(named, recipients);
    } catch (err) {
      this.#options.log.warn({ err }, "could not reserve a part of a warm-up's quota");
      return UNKNOWN_QUOTA;
    }
  }

  #poolsOf({ source, provider, domain, isBatch }: WarmUpMail): NamedPool[] {
    const { hasServer, domains } = this.#subjects;
    const server = source === null ? "server" : `address ${source}`;
    const subjects = hasServer ? [server] : [];
    if (domain !== null && domains.has(domain)) subjects.push(`domain ${domain}`);
    return subjects.map((subject) =>
      this.#poolOf({ subject, provider: provider ?? OTHER, isBatch }),
    );
  }

  #poolOf(quota: Quota): NamedPool {
    const key = `${quota.subject} ${quota.provider} ${quota.isBatch}`;
    const known = this.#pools.get(key);
    if (known) return known;
    const { db, now, workers } = this.#options;
    const reserve = (wanted: number) => reserveQuota(db, quota, wanted);
    const named = { quota, pool: new QuotaPool({ reserve, now, workers }) };
    this.#pools.set(key, named);
    return named;
  }

  /** Reads the settings. Never fails. */
  async refresh(): Promise<void> {
    const { db, localMode, log } = this.#options;
    try {
      const settings = await currentSettings(db);
      this.#subjects = warmUpSubjects(settings, { localMode });
      const { warm_up, warm_up_first_day } = settings;
      if (this.#settings === `${warm_up} ${warm_up_first_day}`) return;
      this.#settings = `${warm_up} ${warm_up_first_day}`;
      await this.#returnRest();
      this.#pools.clear();
    } catch (err) {
      log.warn({ err }, "could not read the settings of the warm-up");
    }
  }
}

function waitFor({ quota, pool }: NamedPool, recipients: number): Failure {
  const { at: retryAt, day, quota: today } = pool.plan(recipients);
  const who = quota.subject === "server" ? "This server" : quota.subject.replace(/^\S+ /, "");
  const where = quota.provider === OTHER ? "other mail servers" : quota.provider;
  const what = quota.isBatch ? "recipients in batches" : "recipients";
  const time = new Date(retryAt).toISOString().slice(0, 16).replace("T", " ");
  const message = `Warm-up: ${who} is new and sends to ${today} ${what} at ${where} today (day ${day} of ${WARM_UP_DAYS}). Next attempt: ${time} UTC`;
  return {
    result: "delayed",
    dsn: "4.3.0",
    message,
    suppress: false,
    notAttempted: "warm_up",
    retryAt,
  };
}

/** Reserved at a time: at least this many recipients, and this part of the day's quota. */
const BLOCK_MIN = 20;
const BLOCK_SHARE = 0.02;
/** The part of a day on which waiting mail is planned. */
const PLANNED_PART = 20 / 24;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** After the last day of a warm-up, what is left goes within an hour. */
const REST_MS = 3_600_000;

type PoolTerms = {
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

/** What a warm-up needs to know of a transaction; null for mail that isn't sent to mail servers. */
export function toWarmUpMail(
  { domain = null, isBatch = false }: Delivery,
  { recipients }: Transaction,
  { gateKey, source, provider = null }: Destination,
): WarmUpMail | null {
  if (gateKey === null) return null;
  const from = source?.suffix ? source.name : null;
  return { source: from, provider, domain, recipients: recipients.length, isBatch };
}
