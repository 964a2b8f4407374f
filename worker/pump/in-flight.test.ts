import { expect, test } from "vitest";

import type { LeasedEmail } from "#server/core/sending/outbox/email-leases.ts";

import { type DestinationLoad, InFlight, readClocks } from "./in-flight.ts";

const SECOND = 1000;
const MB = 1024 * 1024;

const busyWith = (hand: InFlight<LeasedEmail>, share: DestinationLoad) =>
  hand.busyDestinations(share, 2).map(({ destination }) => destination);

function anEmail(
  rowIds: string[],
  { destination = "a.example", size = 100, companyId = "c", isBatch = true } = {},
): LeasedEmail {
  return {
    id: "e",
    companyId,
    domainId: "d",
    messageId: "<e@a>",
    subject: "",
    sentAt: "",
    size,
    openTracking: false,
    clickTracking: false,
    hasAttachments: false,
    hasSource: false,
    isBatch,
    isTest: false,
    campaign: null,
    body: {
      addressHeaders: { from: { name: "", address: "" }, to: [], cc: [], replyTo: [] },
      html: "x".repeat(90),
      text: "y".repeat(10),
      headers: {},
    },
    recipients: rowIds.map((rowId) => ({
      rowId,
      recipient: `r${rowId}@${destination}`,
      destination,
      attempt: 0,
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

test("a company that holds as much as is free waits, with its single emails a little later", () => {
  const hand = new InFlight<LeasedEmail>();
  let rows = 0;
  const add = (count: number, given: Parameters<typeof anEmail>[1] = {}) => {
    const ids = Array.from({ length: count }, () => String((rows += 1)));
    hand.add([anEmail(ids, given)], readClocks());
    return ids;
  };
  add(2_490);
  expect(hand.busyCompanies).toEqual([]);
  const more = add(20, { destination: "b.example" });
  expect(hand.busyCompanies).toEqual([{ company: "c", waiting: ["batch", "heavy"] }]);
  add(300, { isBatch: false });
  expect(hand.busyCompanies[0]?.waiting).toEqual(["batch", "heavy", "single"]);
  add(1_100, { companyId: "d" });
  expect(hand.busyCompanies.map(({ company }) => company)).toEqual(["c", "d"]);
  hand.drop(more);
  hand.drop(Array.from({ length: 1_800 }, (_, at) => String(at + 1)));
  expect(hand.busyCompanies).toEqual([]);
});

test("heavy emails of a company make only its heavy emails wait, light ones all of its mail", () => {
  const hand = new InFlight<LeasedEmail>();
  hand.add([anEmail(["1"], { size: 40 * MB })], readClocks());
  expect(hand.busyCompanies).toEqual([{ company: "c", waiting: ["heavy"] }]);
  for (let at = 2; at < 42; at++)
    hand.add([anEmail([String(at)], { companyId: "d", size: MB })], readClocks());
  expect(hand.busyCompanies[1]).toEqual({ company: "d", waiting: ["batch", "heavy", "single"] });
});

test("an email to many recipients counts its octets once", () => {
  const hand = new InFlight<LeasedEmail>();
  const ids = Array.from({ length: 100 }, (_, at) => String(at));
  hand.add([anEmail(ids, { size: MB })], readClocks());
  expect(hand.busyCompanies).toEqual([]);
});
