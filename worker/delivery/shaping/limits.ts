import type { Logger } from "pino";

import type { Throttle } from "#mail/smtp/outcome.ts";
import type { MxHost } from "#server/core/mail/mail-hosts/find-mail-hosts.ts";
import {
  type MailProvider,
  type MailProviders,
  providerOfHosts,
  readMailProviders,
} from "#server/core/platform/monitoring/mail-provider.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { countAlive } from "#server/core/platform/processes/processes.ts";
import {
  listLimits,
  type StoredLimits,
  storeLimits,
} from "#server/core/sending/outbox/delivery-blocks.ts";
import type { Db } from "#server/db/client.ts";

/** The limits of a destination, learned from its replies. Times in epoch milliseconds. */
export type Limits = {
  throttle: Throttle;
  /** The server's reply, and its enhanced status code. */
  reply: string;
  dsn: string;
  host: string | null;
  /** When the destination last asked to slow down. */
  changedAt: number;
  /** Nothing is sent before this time; then one message is sent as a probe. */
  suspendedUntil: number;
  /** Suspensions in a row, without a message accepted between them. */
  level: number;
  /** Connections and messages per minute when the suspension ends; both grow from there. Null: no limit. */
  connections: number | null;
  perMinute: number | null;
};

/** A reply that asks to slow down, and the state of the destination when it arrived. */
export type ThrottleEvent = {
  throttle: Throttle;
  reply: string;
  dsn: string;
  host: string | null;
  at: number;
  /** Messages that the destination accepted in the last minute. */
  accepted: number;
  /** Connections that stay open. */
  open: number;
  /** The reply is to the probe: the first message after a suspension. */
  isProbe: boolean;
};

/** Length of the first suspension and of the longest, in minutes. They double. */
const SUSPENSIONS: Record<Throttle, { first: number; longest: number }> = {
  connections: { first: 0.5, longest: 10 },
  rate: { first: 1, longest: 30 },
  reputation: { first: 5, longest: 60 },
  block: { first: 5, longest: 60 },
};
/** What a reply leaves of the rate. */
const RATE_LEFT: Partial<Record<Throttle, number>> = { rate: 0.7, reputation: 0.5 };
const PER_MINUTE_MIN = 10;
const CONNECTIONS_MIN = 1;
/** Each minute without a throttling reply adds this part of the first rate, and one connection. */
const RATE_STEP = 0.1;
/** Limits expire this many minutes after the suspension. */
const LAPSE_MINUTES = 12 * 60;

/**
 * The limits after a throttling reply: a lower rate, fewer connections, and a pause. Returns `limits` unchanged
 * if the message had already been sent when the destination was suspended.
 */
export function tighten(limits: Limits | null, event: ThrottleEvent, minuteMs: number): Limits {
  const { throttle, at, reply, dsn, host } = event;
  if (limits && at < limits.suspendedUntil) return limits;
  const level = limits && event.isProbe ? limits.level + 1 : 1;
  const { first, longest } = SUSPENSIONS[throttle];
  // If other connections are open, their number is what the destination allows, and mail continues over them.
  const isPaused = throttle !== "connections" || event.open === 0;
  const minutes = isPaused ? Math.min(longest, first * 2 ** (level - 1)) : 0;
  return {
    throttle,
    reply,
    dsn,
    host,
    level,
    changedAt: at,
    suspendedUntil: at + minutes * minuteMs,
    connections: fewerConnections(limits, event, minuteMs),
    perMinute: lowerRate(limits, event, minuteMs),
  };
}

function fewerConnections(
  limits: Limits | null,
  event: ThrottleEvent,
  minuteMs: number,
): number | null {
  const current = limits && connectionsAt(limits, event.at, minuteMs);
  if (event.throttle !== "connections") return current;
  if (event.open > 0) return Math.max(CONNECTIONS_MIN, Math.min(event.open, current ?? Infinity));
  return Math.max(CONNECTIONS_MIN, Math.floor((current ?? 2) / 2));
}

function lowerRate(limits: Limits | null, event: ThrottleEvent, minuteMs: number): number | null {
  const current = limits && rateAt(limits, event.at, minuteMs);
  const left = RATE_LEFT[event.throttle];
  if (left === undefined) return current;
  // Nothing got through, so a lower rate wouldn't help.
  if (limits?.perMinute && event.isProbe) return limits.perMinute;
  const sent = Math.min(current ?? Infinity, event.accepted);
  return Math.max(PER_MINUTE_MIN, Math.floor(sent * left));
}

const minutesSince = ({ suspendedUntil }: Limits, at: number, minuteMs: number): number =>
  Math.max(0, (at - suspendedUntil) / minuteMs);

/** Whether the limits have expired, or are from the future: the clock was wrong, and has been set back. */
export const hasLapsed = (limits: Limits, at: number, minuteMs: number): boolean =>
  minutesSince(limits, at, minuteMs) > LAPSE_MINUTES || limits.changedAt > at + minuteMs;

/** Messages per minute at a time; null for no limit. */
export function rateAt(limits: Limits, at: number, minuteMs: number): number | null {
  if (limits.perMinute === null) return null;
  return limits.perMinute * (1 + RATE_STEP * minutesSince(limits, at, minuteMs));
}

/** Concurrent connections at a time; null for no limit. */
export function connectionsAt(limits: Limits, at: number, minuteMs: number): number | null {
  if (limits.connections === null) return null;
  return limits.connections + Math.floor(minutesSince(limits, at, minuteMs));
}

/** Longer ones don't fit into an index: a domain can list any number of mail servers. */
const KEY_LENGTH_MAX = 1_000;

type Restore = (key: string, limits: Limits) => void;

type LimitSync = {
  /** The database's time, by which all workers compare limits. */
  now: () => number;
  /** The worker processes that share the limits, this one included. */
  workers: () => number;
  /** Finds the provider in the built-in table and the `mail_providers` setting. */
  findProvider: (hosts: MxHost[]) => MailProvider | null;
  /** Stores limits that this process learned. Never fails: they are learned again. */
  store: (key: string, limits: Limits) => void;
  /** Applies the stored limits with `restore`, and those that later calls of `refresh` find. */
  start: (restore: Restore) => Promise<void>;
  /** Reads the limits of other workers and the settings. Never fails. */
  refresh: () => Promise<void>;
};

/** Shares the limits of destinations with other workers, and keeps them across restarts. */
export function createLimitSync({ db, log }: { db: Db; log: Logger }): LimitSync {
  let workers = 1;
  let custom: MailProviders = {};
  /** From this process's monotonic clock to the database's. */
  let clockOffset = Date.now() - performance.now();
  let restore: Restore = () => {};

  const refresh = async () => {
    try {
      const stored = await listLimits(db);
      clockOffset = stored.now - performance.now();
      workers = Math.max(1, await countAlive(db, "worker"));
      custom = readMailProviders((await currentSettings(db)).mail_providers);
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
    start(applying) {
      restore = applying;
      return refresh();
    },
    refresh,
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
