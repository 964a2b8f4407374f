import type { ByteBudget } from "#server/core/sending/outbox/lease-due-emails.ts";

import type { DestinationLoad } from "./in-flight.ts";

const LEASE_MAX = 500;
/** Lease more rows only while no more than this many are in flight. */
export const REFILL_AT = 5_000;

/** The part of what is free that one destination may hold. */
const SHARE = 0.15;
const SHARE_MIN = 25;
/** The single emails of each company that a busy destination may still hold. */
export const SINGLES_RESERVED = 25;
const SHARE_OCTETS = { min: 1024 * 1024, max: 32 * 1024 * 1024 };

/**
 * How many rows to lease with `count` of them in flight, and how much a destination may have in flight before
 * leasing skips it. Both shrink as the window fills: twenty slow destinations leave room for fast ones.
 */
export function leaseSize({ count, room }: { count: number; room: ByteBudget }): {
  limit: number;
  share: DestinationLoad;
} {
  const recipients = Math.max(SHARE_MIN, Math.round(SHARE * (REFILL_AT - count)));
  const octets = SHARE * Math.min(room.light, room.heavy);
  return {
    // The whole batch may be for one destination.
    limit: Math.min(LEASE_MAX, recipients),
    share: {
      recipients,
      octets: Math.min(SHARE_OCTETS.max, Math.max(SHARE_OCTETS.min, octets)),
    },
  };
}
