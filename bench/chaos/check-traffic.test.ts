import { expect, test } from "vitest";

import { checkTraffic } from "./check-traffic.ts";
import { type Copy, type Handed, newTraffic, type Traffic } from "./traffic.ts";

const BOB = "bob@chaos.example";

const aMessage = (given: Partial<Handed> = {}): Handed => ({
  token: "inbound-1",
  kind: "inbound",
  to: [BOB],
  recipients: [BOB],
  startedAt: 1_000,
  acceptedAt: 1_100,
  refusal: null,
  ...given,
});

const aCopy = (given: Partial<Copy> = {}): Copy => ({
  token: "inbound-1",
  address: BOB,
  messageId: "<1@sink.test>",
  at: 1_100,
  ...given,
});

const check = (given: Partial<Traffic>) => checkTraffic({ ...newTraffic(), ...given });

test("accepted messages that arrived once pass", () => {
  const { kinds, faults } = check({ handed: [aMessage()], copies: [aCopy()] });
  expect(faults).toEqual([]);
  expect(kinds.inbound).toEqual({
    accepted: 1,
    delivered: 1,
    lost: 0,
    unanswered: 0,
    duplicates: 0,
  });
});

test("an accepted message without a copy counts as lost once per recipient", () => {
  const recipients = [BOB, "ann@chaos.example"];
  const { kinds, faults } = check({ handed: [aMessage({ recipients })], copies: [aCopy()] });
  expect(kinds.inbound).toMatchObject({ accepted: 2, delivered: 1, lost: 1 });
  expect(faults).toEqual([
    "inbound-1 to ann@chaos.example was accepted at 1970-01-01T00:00:01.100Z and is lost",
  ]);
});

test("an unanswered message may or may not arrive", () => {
  const { kinds, faults } = check({
    handed: [aMessage({ acceptedAt: null }), aMessage({ token: "inbound-2", acceptedAt: null })],
    copies: [aCopy()],
  });
  expect(kinds.inbound).toMatchObject({ accepted: 0, lost: 0, unanswered: 1 });
  expect(faults).toEqual([]);
});

test("a kill during delivery allows one extra copy", () => {
  const copies = [aCopy(), aCopy({ at: 2_000 })];
  const { kinds, kills, faults } = check({
    handed: [aMessage()],
    copies,
    kills: [
      { target: "web", at: 900 },
      { target: "worker", at: 1_200 },
      { target: "mail", at: 2_100 },
    ],
  });
  expect(kinds.inbound.duplicates).toBe(1);
  expect(kills.map(({ inFlight, duplicates }) => ({ inFlight, duplicates }))).toEqual([
    { inFlight: 0, duplicates: 0 },
    { inFlight: 1, duplicates: 1 },
    { inFlight: 0, duplicates: 0 },
  ]);
  expect(faults).toEqual([]);
});

test("more extra copies than kills during delivery are a fault", () => {
  const copies = [aCopy(), aCopy({ at: 2_000 }), aCopy({ at: 2_500 })];
  const { faults } = check({
    handed: [aMessage()],
    copies,
    kills: [{ target: "all", at: 1_500 }],
  });
  expect(faults).toEqual([
    expect.stringMatching(/^inbound-1 to bob@chaos.example arrived 3 times over 1 kills/),
  ]);
});

test("copies with different Message-IDs are a fault", () => {
  const { faults } = check({
    handed: [aMessage()],
    copies: [aCopy(), aCopy({ at: 2_000, messageId: "<2@sink.test>" })],
    kills: [{ target: "web", at: 1_500 }],
  });
  expect(faults).toEqual([
    "inbound-1 to bob@chaos.example arrived under several Message-IDs: <1@sink.test> <2@sink.test>",
  ]);
});

test("permanent errors, stray copies and unexpected mail are faults", () => {
  const { faults } = check({
    handed: [aMessage({ acceptedAt: null, refusal: "550 5.1.1 No" })],
    copies: [aCopy({ address: "eve@chaos.example" })],
    others: ["ann@chaos.example: Undelivered mail"],
  });
  expect(faults).toEqual([
    "inbound-1 got a permanent error: 550 5.1.1 No",
    "inbound-1 to eve@chaos.example arrived at the wrong address",
    "Unexpected mail for ann@chaos.example: Undelivered mail",
  ]);
});

test("an accepted email must have its webhook events, each recorded once", () => {
  const token = "api-1";
  const post = { id: "msg_1", type: "email.sent", token, to: BOB, at: 1_200 };
  const { webhooks, emailsDelivered, faults } = check({
    handed: [aMessage({ token, kind: "api" })],
    copies: [aCopy({ token })],
    posts: [post, post, { ...post, id: "msg_2" }],
  });
  expect(emailsDelivered).toBe(1);
  expect(webhooks).toEqual({ accepted: 2, delivered: 1, lost: 1, duplicates: 2 });
  expect(faults).toEqual([
    "No webhook request for email.delivered of api-1 to bob@chaos.example",
    "email.sent of api-1 was recorded 2 times: msg_1 msg_2",
  ]);
});
