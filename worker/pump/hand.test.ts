import { expect, test } from "vitest";

import type { ClaimedEmail } from "#server/core/outbox/claim-due.ts";

import { Hand } from "./hand.ts";

const SECOND = 1000;

function anEmail(outboxIds: string[], destination = "a.example"): ClaimedEmail {
  return {
    ...{ id: "e", companyId: "c", domainId: "d", messageId: "<e@a>", subject: "", sentAt: "" },
    body: {
      addressHeaders: { from: { name: "", address: "" }, to: [], cc: [], replyTo: [] },
      ...{ html: "x".repeat(90), text: "y".repeat(10), headers: {} },
    },
    recipients: outboxIds.map((outboxId) => ({
      ...{ outboxId, recipient: `r${outboxId}@${destination}`, destination, attempt: 0 },
    })),
  };
}

test("nothing is started on a lease that may have run out, until it is renewed", () => {
  const hand = new Hand();
  const email = anEmail(["1", "2"]);
  hand.add([email], performance.now() - 26 * SECOND);
  expect(hand.leased(email.recipients)).toEqual([]);

  hand.renew(["2", "7"], performance.now());
  expect(hand.leased(email.recipients)).toEqual([email.recipients[1]]);
  hand.drop(["2"]);
  expect(hand.leased(email.recipients)).toEqual([]);
  expect(hand.ids).toEqual(["1"]);
});

test("a row that is in hand already is not taken a second time", () => {
  const hand = new Hand();
  const now = performance.now();
  hand.add([anEmail(["1"])], now);
  const taken = hand.add([anEmail(["1", "2"]), anEmail(["1"])], now);
  expect(taken.map(({ recipients }) => recipients.map(({ outboxId }) => outboxId))).toEqual([
    ["2"],
  ]);
  expect(hand.count).toBe(2);
});

test("knows how much it holds, and of which destinations", () => {
  const hand = new Hand();
  const now = performance.now();
  hand.add([anEmail(["1", "2"]), anEmail(["3"], "b.example")], now);
  expect(hand.size).toBe(200);
  expect(hand.destinationsWith(2)).toEqual(["a.example"]);
  hand.drop(["1", "1", "9"]);
  expect(hand.size).toBe(150);
  expect(hand.destinationsWith(2)).toEqual([]);
  hand.drop(["2", "3"]);
  expect([hand.size, hand.count, hand.destinationsWith(0)]).toEqual([0, 0, []]);
});
