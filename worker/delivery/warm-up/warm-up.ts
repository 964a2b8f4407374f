import type { Logger } from "pino";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { OTHER, type Quota, WARM_UP_DAYS } from "#server/core/sending/warm-up/ramp.ts";
import { recordFirstSending } from "#server/core/sending/warm-up/record-first-sending.ts";
import { reserveQuota } from "#server/core/sending/warm-up/reserve-quota.ts";
import { returnQuota } from "#server/core/sending/warm-up/return-quota.ts";
import { warmUpSubjects, type WarmUpSubjects } from "#server/core/sending/warm-up/subjects.ts";
import type { Db } from "#server/db/client.ts";

import type { Failure } from "#mail/smtp/outcome.ts";
import { QuotaPool } from "./quota-pool.ts";

const REFRESH_MS = 5_000;
const NOTHING: WarmUpSubjects = { hasServer: false, domains: new Set() };

const UNKNOWN_QUOTA: Failure = {
  ...{ result: "delayed", dsn: "4.3.0", suppress: false },
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
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Options) {
    this.#options = { now: () => Date.now(), ...options };
  }

  async start(): Promise<void> {
    await recordFirstSending(this.#options.db);
    await this.#refresh();
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS).unref();
  }

  /** Returns unused reservations. Call after the last delivery. */
  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
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

  async #refresh(): Promise<void> {
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
    ...{ result: "delayed", dsn: "4.3.0", message, suppress: false },
    ...{ notAttempted: "warm_up", retryAt },
  };
}
