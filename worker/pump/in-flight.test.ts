import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LeasedEmail } from "#server/core/sending/outbox/lease-due-emails.ts";

import { BusyDestinations, type DestinationLoad, InFlight, leaseSize, readClocks } from "./in-flight.ts";
import type { Queued } from "./source.ts";

const SECOND = 1000;
const MB = 1024 * 1024;

const busyWith = (hand: InFlight<LeasedEmail>, share: DestinationLoad) =>
  hand.busyDestinations(share, 2).map(({ destination }) => destination);

function anEmail(
  rowIds: string[],
  { destination = "a.example", size = 100, companyId = "c", isBatch = true } = {},
): LeasedEmail {
  return {
    ...{ id: "e", companyId, domainId: "d", messageId: "<e@a>", subject: "", sentAt: "" },
    ...{ size, openTracking: false, clickTracking: false, hasAttachments: false, hasSource: false },
    ...{ isBatch, isTest: false, campaign: null },
    body: {
      addressHeaders: { from: { name: "", address: "" }, to: [], cc: [], replyTo: [] },
      ...{ html: "x".repeat(90), text: "y".repeat(10), headers: {} },
    },
    recipients: rowIds.map((rowId) => ({
      ...{ rowId, recipient: `r${rowId}@${destination}`, destination, attempt: 0 },
    })),
  };
}

test("no delivery starts on a lease that may have expired, until it is renewed", () => {
  const hand = new InFlight<LeasedEmail>();
  const email = anEmail(["1", "2"]);
  const now = readClocks();
  hand.add([email], { ...now, monotonic: now.monotonic - 26 * SECOND });
  expect(hand.withValidLease(email.recipients)).toEqual([]);
  hand.renew(["1", "2"], ["1", "2"], now);
  expect(hand.withValidLease(email.recipients)).toHaveLength(2);
  // The machine was suspended.
  hand.renew(["1", "2"], ["1", "2"], { ...now, wall: now.wall - 26 * SECOND });
  expect(hand.withValidLease(email.recipients)).toEqual([]);

  hand.renew(["1", "2"], ["2", "7"], now);
  expect(hand.withValidLease(email.recipients)).toEqual([email.recipients[1]]);
  hand.drop(["2"]);
  expect(hand.withValidLease(email.recipients)).toEqual([]);
  expect(hand.ids).toEqual(["1"]);
  hand.renew(["1"], ["1"], now);
  expect(hand.withValidLease(email.recipients)).toEqual([]);
});

test("a row that is already in flight is not added again", () => {
  const hand = new InFlight<LeasedEmail>();
  const now = readClocks();
  hand.add([anEmail(["1"])], now);
  const taken = hand.add([anEmail(["1", "2"]), anEmail(["1"])], now);
  expect(taken.map(({ recipients }) => recipients.map(({ rowId }) => rowId))).toEqual([["2"]]);
  expect(hand.count).toBe(2);
});

test("counts deliveries in flight by destination", () => {
  const hand = new InFlight<LeasedEmail>();
  const now = readClocks();
  const two = { recipients: 2, octets: 1_000 };
  hand.add([anEmail(["1", "2"]), anEmail(["3"], { destination: "b.example" })], now);
  expect(hand.room).toEqual({ light: 64 * MB - 200, heavy: 64 * MB });
  expect(busyWith(hand, two)).toEqual(["a.example"]);
  expect(busyWith(hand, { recipients: 9, octets: 200 })).toEqual(["a.example"]);

  hand.drop(["1", "1", "9"]);
  expect(busyWith(hand, two)).toEqual([]);
  hand.drop(["2", "3"]);
  expect(hand.room).toEqual({ light: 64 * MB, heavy: 64 * MB });
  expect([hand.count, busyWith(hand, { recipients: 0, octets: 0 })]).toEqual([0, []]);
});

test("an email counts once, until its last recipient has an outcome", () => {
  const hand = new InFlight<LeasedEmail>();
  hand.add([anEmail(["1", "2", "3"], { size: 20 * MB })], readClocks());
  hand.drop(["1", "3"]);
  expect(hand.room).toEqual({ light: 64 * MB, heavy: 44 * MB });
  expect(hand.isRoomShort).toBe(true);
  hand.drop(["2"]);
  expect(hand.room).toEqual({ light: 64 * MB, heavy: 64 * MB });
  expect(hand.isRoomShort).toBe(false);
});

test("single emails may still go to a busy destination: a few of each company, a fifth more in all", () => {
  const hand = new InFlight<LeasedEmail>();
  const share = { recipients: 10, octets: 10 * MB };
  const add = (companyId: string, ids: string[], isBatch = false) =>
    hand.add([anEmail(ids, { companyId, isBatch })], readClocks());
  add("a", ["1", "2", "3", "4", "5", "6", "7"], true);
  add("b", ["8", "9"]);
  expect(hand.busyDestinations(share, 2)).toEqual([]);
  add("a", ["10"]);
  expect(hand.busyDestinations(share, 2)).toEqual([{ destination: "a.example", companies: ["b"] }]);
  add("c", ["11", "12"]);
  expect(hand.busyDestinations(share, 2)).toEqual([{ destination: "a.example", companies: "all" }]);
  hand.drop(["8", "11", "12"]);
  hand.drop(["1"]);
  expect(hand.busyDestinations(share, 2)).toEqual([]);
});

const MIB = 1024 * 1024;
const room = { light: 64 * MIB, heavy: 64 * MIB };

test("one destination may fill a part of the window, with full batches", () => {
  expect(leaseSize({ count: 0, room })).toEqual({
    limit: 500,
    share: { recipients: 750, octets: 0.15 * 64 * MIB },
  });
});

test("destinations that never answer leave room in the window for those that do", () => {
  for (const destinations of [1, 5, 20]) {
    const held = Array<number>(destinations).fill(0);
    const count = () => held.reduce((sum, one) => sum + one, 0);
    for (;;) {
      const { limit, share } = leaseSize({ count: count(), room });
      const open = held.flatMap((one, at) => (one < share.recipients ? [at] : []));
      if (open.length === 0) break;
      // The worst case: the whole batch is for one destination.
      held[open[0]!]! += limit;
    }
    expect(count()).toBeLessThan(5_000);
  }
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Nothing is in flight but mail to one destination, which is busy with it. */
function aBusyDestination() {
  const inFlight = new InFlight<Queued>();
  const recipients = Array.from({ length: 700 }, (_, i) => ({
    ...{ rowId: String(i), recipient: `r${i}@large.test` },
    ...{ destination: "large.test", attempt: 0 },
  }));
  inFlight.add([{ id: "1", companyId: "1", size: 1000, recipients }], readClocks());
  return { inFlight, busy: new BusyDestinations(inFlight) };
}

/** A lease query that takes this long. */
function lease(busy: BusyDestinations<Queued>, tookMs: number, isFull = false) {
  const startedAt = performance.now();
  const { busy: skipped, readsAll } = busy.toSkip();
  vi.advanceTimersByTime(tookMs);
  busy.afterLease(startedAt, { isFull });
  return { skipped: skipped.map(({ destination }) => destination), readsAll };
}

test("a query that read all mail of busy destinations makes the next one wait", () => {
  const { busy } = aBusyDestination();
  expect(lease(busy, 10).skipped).toEqual(["large.test"]);
  expect(busy.pauseMs).toBeCloseTo(40);
  vi.advanceTimersByTime(30);
  expect(busy.pauseMs).toBeCloseTo(10);
  vi.advanceTimersByTime(30);
  expect(busy.pauseMs).toBe(0);

  lease(busy, 1_000);
  expect(busy.pauseMs).toBe(250);
});

test("nothing waits after a full batch, without busy destinations, or once one of them has room", () => {
  const { inFlight, busy } = aBusyDestination();
  lease(busy, 10, true);
  expect(busy.pauseMs).toBe(0);

  lease(busy, 10);
  expect(busy.isFreed).toBe(false);
  inFlight.drop(Array.from({ length: 200 }, (_, i) => String(i)));
  expect(busy.isFreed).toBe(true);
  expect(busy.pauseMs).toBe(0);

  expect(lease(busy, 10)).toEqual({ skipped: [], readsAll: false });
  expect(busy.pauseMs).toBe(0);
});

test("queries that read all skipped mail take a fifth of the time, or half of it while they find enough", () => {
  const { busy } = aBusyDestination();
  expect(lease(busy, 1_000).readsAll).toBe(true);
  expect(lease(busy, 100).readsAll).toBe(false);
  vi.advanceTimersByTime(3_800);
  expect(lease(busy, 100).readsAll).toBe(false);
  expect(lease(busy, 1_000, true).readsAll).toBe(true);
  vi.advanceTimersByTime(999);
  expect(lease(busy, 1).readsAll).toBe(false);
  expect(lease(busy, 1).readsAll).toBe(true);
});

test("a destination is freed for the companies whose single emails waited", () => {
  const inFlight = new InFlight<Queued>();
  const add = (companyId: string, count: number, isBatch: boolean) => {
    const ids = Array.from({ length: count }, (_, i) => `${companyId}${isBatch}${i}`);
    const recipients = ids.map((rowId) => ({
      ...{ rowId, recipient: "a@large.test", destination: "large.test", attempt: 0 },
    }));
    inFlight.add([{ id: ids[0]!, companyId, size: 1, isBatch, recipients }], readClocks());
    return ids;
  };
  add("large", 700, true);
  const singles = add("small", 30, false);
  const busy = new BusyDestinations(inFlight);
  expect(busy.toSkip().busy).toEqual([{ destination: "large.test", companies: ["small"] }]);
  expect(busy.isFreed).toBe(false);
  const others = add("other", 300, true);
  expect(busy.isFreed).toBe(false);
  inFlight.drop(others);
  inFlight.drop(singles.slice(0, 10));
  expect(busy.isFreed).toBe(true);
  expect(busy.toSkip().busy).toEqual([{ destination: "large.test", companies: [] }]);
});
