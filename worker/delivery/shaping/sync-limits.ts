import type { MailHost } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import type { Logger } from "pino";

import {
  providerOfHosts,
  type MailProvider,
  type MailProviders,
  readMailProviders,
} from "#server/core/platform/monitoring/mail-provider.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { countAlive } from "#server/core/platform/processes/list-processes.ts";
import {
  listLimits,
  storeLimits,
  type StoredLimits,
} from "#server/core/sending/outbox/destination-limits.ts";
import type { Db } from "#server/db/client.ts";

import type { Limits } from "./limits.ts";

const INTERVAL_MS = 5_000;
/** Longer ones don't fit into an index: a domain can list any number of mail servers. */
const KEY_LENGTH_MAX = 1_000;

export type LimitSync = {
  /** The database's time, by which all workers compare limits. */
  now: () => number;
  /** The worker processes that share the limits, this one included. */
  workers: () => number;
  /** Finds the provider in the built-in table and the `mail_providers` setting. */
  findProvider: (hosts: MailHost[]) => MailProvider | null;
  /** Stores limits that this process learned. Never fails: they are learned again. */
  store: (key: string, limits: Limits) => void;
  /** Applies stored limits, then those of other workers every few seconds. */
  start: (restore: (key: string, limits: Limits) => void) => Promise<void>;
  stop: () => Promise<void>;
};

/** Shares the limits of destinations with other workers, and keeps them across restarts. */
export function createLimitSync({ db, log }: { db: Db; log: Logger }): LimitSync {
  let workers = 1;
  let custom: MailProviders = {};
  /** From this process's monotonic clock to the database's. */
  let clockOffset = Date.now() - performance.now();
  let timer: NodeJS.Timeout | null = null;
  let reading: Promise<void> | null = null;

  const read = async (restore: (key: string, limits: Limits) => void) => {
    try {
      const [stored, alive, settings] = await Promise.all([
        listLimits(db),
        countAlive(db, "worker"),
        currentSettings(db),
      ]);
      clockOffset = stored.now - performance.now();
      workers = Math.max(1, alive);
      custom = readMailProviders(settings.mail_providers);
      for (const { key, ...limits } of stored.limits) restore(key, toLimits(limits));
    } catch (err) {
      log.warn({ err }, "could not read the limits of destinations");
    }
  };
  return {
    now: () => performance.now() + clockOffset,
    workers: () => workers,
    findProvider: (hosts) => providerOfHosts(hosts, custom),
    store(key, limits) {
      if (key.length > KEY_LENGTH_MAX) return;
      storeLimits(db, toStored(key, limits)).catch((err: unknown) =>
        log.warn({ err }, "could not store the limits of a destination"),
      );
    },
    async start(restore) {
      await read(restore);
      timer = setInterval(() => {
        reading ??= read(restore).finally(() => (reading = null));
      }, INTERVAL_MS).unref();
    },
    async stop() {
      if (timer) clearInterval(timer);
      await reading;
    },
  };
}

const toLimits = ({ changedAt, suspendedUntil, ...limits }: Omit<StoredLimits, "key">): Limits => ({
  ...limits,
  changedAt: Date.parse(changedAt),
  suspendedUntil: Date.parse(suspendedUntil),
});

const toStored = (key: string, { changedAt, suspendedUntil, ...limits }: Limits): StoredLimits => ({
  ...limits,
  key,
  changedAt: new Date(changedAt).toISOString(),
  suspendedUntil: new Date(suspendedUntil).toISOString(),
});
