import { setTimeout as delay } from "node:timers/promises";

import { passwordMark } from "#server/core/access/sign-in/verify-password.ts";
import {
  sourceNetwork,
  ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX,
} from "#server/core/access/sign-in/throttle.ts";
import type { DovecotAttempt } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { createTtlCache } from "#server/core/shared/caches.ts";
import { tryLock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

const WINDOW_MS = 15 * 60_000;
const REMEMBERED_MAX = 10_000;
/** Limits of passwords tried for one account, from one source and from all sources. */
const GUESSES_MAX = { source: ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX, account: 100 };
/** How long Dovecot accepts sign-ins without a stored attempt. */
const OPEN_MS = 20_000;

/** SQLSTATE disk_full. */
export const isOutOfSpace = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && error.code === "53100") || isOutOfSpace(error.cause));

/**
 * Counts sign-in attempts in memory while Postgres is out of space: mailbox users must be able to sign in to delete mail.
 * While this holds an advisory lock, Dovecot's password query accepts attempts that aren't stored.
 */
export class UncountedSignIns {
  readonly #db: Db;
  readonly #guesses = createTtlCache<Set<string>>({ max: REMEMBERED_MAX, ttlMs: WINDOW_MS });
  readonly #stopped = new AbortController();
  #opened: Promise<void> | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  /** @returns the error message for the user, or null */
  async count({ account, password, clientAddress }: DovecotAttempt): Promise<string | null> {
    const mark = passwordMark(account, password);
    const fromSource = this.#guess(`${account} ${sourceNetwork(clientAddress)}`, mark);
    if (fromSource > GUESSES_MAX.source || this.#guess(account, mark) > GUESSES_MAX.account)
      return "Too many sign-in attempts. Try again later";
    await (this.#opened ??= this.#open());
    return null;
  }

  stop(): void {
    this.#stopped.abort();
  }

  #guess(key: string, mark: string): number {
    const marks = this.#guesses.get(key) ?? new Set();
    this.#guesses.set(key, marks.add(mark));
    return marks.size;
  }

  /** Resolves once the lock is held, here or by another mail host. */
  #open(): Promise<void> {
    const { signal } = this.#stopped;
    return new Promise((resolve, reject) => {
      this.#db
        .transaction(async (tx) => {
          await tryLock(tx, "uncountedSignIns");
          resolve();
          await delay(OPEN_MS, null, { ref: false, signal }).catch(() => undefined);
        })
        .catch(reject)
        .finally(() => (this.#opened = null));
    });
  }
}
