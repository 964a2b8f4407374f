import type { Throttle } from "./read-throttle.ts";

/** What a destination allows, as far as its replies have shown. Times in epoch milliseconds. */
export type Limits = {
  throttle: Throttle;
  /** The server's reply, and its enhanced status code. */
  reply: string;
  dsn: string;
  host: string | null;
  /** When the destination last objected. */
  changedAt: number;
  /** Nothing is sent before; then one message goes first. */
  suspendedUntil: number;
  /** Suspensions in a row, without a message accepted between them. */
  level: number;
  /** Connections and messages per minute when the suspension ends; both grow from there. Null: no limit. */
  connections: number | null;
  perMinute: number | null;
};

/** A reply that asks to slow down, and what was going on when it arrived. */
export type Signal = {
  throttle: Throttle;
  reply: string;
  dsn: string;
  host: string | null;
  at: number;
  /** Messages that the destination accepted in the last minute. */
  accepted: number;
  /** Connections that stay open. */
  open: number;
  /** The reply is to the message that was sent first after a suspension. */
  isProbe: boolean;
};

/** Length of the first suspension and of the longest, in minutes. They double. */
const SUSPENSIONS: Record<Throttle, { first: number; longest: number }> = {
  connections: { first: 0.5, longest: 10 },
  rate: { first: 1, longest: 30 },
  reputation: { first: 5, longest: 60 },
  block: { first: 5, longest: 60 },
};
/** The part of the rate that is left after an objection. */
const RATE_LEFT: Partial<Record<Throttle, number>> = { rate: 0.7, reputation: 0.5 };
const PER_MINUTE_MIN = 10;
const CONNECTIONS_MIN = 1;
/** Each minute without an objection adds this part of the first rate, and one connection. */
const RATE_STEP = 0.1;
/** Limits are forgotten when this many minutes have passed since the suspension. */
const LAPSE_MINUTES = 12 * 60;

/**
 * The limits after a signal: a lower rate, fewer connections, and a pause. Returns `limits` unchanged for
 * replies to what was already sent when the destination was suspended.
 */
export function tighten(limits: Limits | null, signal: Signal, minuteMs: number): Limits {
  const { throttle, at, reply, dsn, host } = signal;
  if (limits && at < limits.suspendedUntil) return limits;
  const level = limits && signal.isProbe ? limits.level + 1 : 1;
  const { first, longest } = SUSPENSIONS[throttle];
  // A refused connection beside open ones says how many are allowed; mail goes on over those.
  const isPaused = throttle !== "connections" || signal.open === 0;
  const minutes = isPaused ? Math.min(longest, first * 2 ** (level - 1)) : 0;
  return {
    ...{ throttle, reply, dsn, host, level },
    ...{ changedAt: at, suspendedUntil: at + minutes * minuteMs },
    connections: fewerConnections(limits, signal, minuteMs),
    perMinute: lowerRate(limits, signal, minuteMs),
  };
}

function fewerConnections(limits: Limits | null, signal: Signal, minuteMs: number): number | null {
  const current = limits && connectionsAt(limits, signal.at, minuteMs);
  if (signal.throttle !== "connections") return current;
  if (signal.open > 0) return Math.max(CONNECTIONS_MIN, Math.min(signal.open, current ?? Infinity));
  return Math.max(CONNECTIONS_MIN, Math.floor((current ?? 2) / 2));
}

function lowerRate(limits: Limits | null, signal: Signal, minuteMs: number): number | null {
  const current = limits && rateAt(limits, signal.at, minuteMs);
  const left = RATE_LEFT[signal.throttle];
  if (left === undefined) return current;
  // Nothing got through, so the rate isn't what the destination objects to.
  if (limits?.perMinute && signal.isProbe) return limits.perMinute;
  const sent = Math.min(current ?? Infinity, signal.accepted);
  return Math.max(PER_MINUTE_MIN, Math.floor(sent * left));
}

const minutesSince = ({ suspendedUntil }: Limits, at: number, minuteMs: number): number =>
  Math.max(0, (at - suspendedUntil) / minuteMs);

/** Whether a limit is so old that it says nothing anymore. */
export const hasLapsed = (limits: Limits, at: number, minuteMs: number): boolean =>
  minutesSince(limits, at, minuteMs) > LAPSE_MINUTES;

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
