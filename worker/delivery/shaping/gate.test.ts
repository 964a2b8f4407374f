import fc from "fast-check";
import { expect, test } from "vitest";

import { SessionSlots } from "#mail/smtp/session-slots.ts";

import { Gate, Meter } from "./gate.ts";
import { connectionsAt, type Limits, rateAt, type ThrottleEvent, tighten } from "./limits.ts";

const MINUTE = 60_000;

const EVENT: ThrottleEvent = {
  throttle: "rate",
  reply: "421 Slow down",
  dsn: "4.7.28",
  host: "mx.there.test",
  at: 1_000_000,
  accepted: 600,
  open: 5,
  isProbe: false,
};

function aGate(given: { limits?: Limits; workers?: number } = {}) {
  const clock = { now: EVENT.at };
  const gate = new Gate("there", {
    now: () => clock.now,
    minuteMs: MINUTE,
    workers: () => given.workers ?? 1,
    slots: new SessionSlots(300),
  });
  if (given.limits) gate.apply(given.limits);
  return { gate, clock };
}

const owner = { connections: 0, isAnswering: true, dispatch: () => undefined };

test("without limits, everything passes", () => {
  const { gate } = aGate();
  for (let sent = 0; sent < 1000; sent++) expect(gate.pass(owner, {})).toBe(true);
  expect(gate.isFull).toBe(false);
});

test("never exceeds the rate in any minute, and never starves a destination", () => {
  const steps = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 10, max: 600 }), (waits, perMinute) => {
      const limits = { ...tighten(null, EVENT, MINUTE), perMinute };
      const { gate, clock } = aGate({ limits });
      const passed: number[] = [];
      let isStarving = false;
      for (const wait of waits) {
        const [before, sent] = [clock.now, passed.length];
        clock.now += wait;
        for (let demand = 0; demand < 500; demand++) {
          const job = {};
          gate.enter();
          if (!gate.pass(owner, job)) break;
          passed.push(clock.now);
          gate.leave(job, "accepted");
        }
        const isOwed = before >= limits.suspendedUntil && wait > MINUTE / perMinute + 1;
        isStarving ||= isOwed && passed.length === sent;
      }
      gate.close();
      let isEarly = false;
      let [first, most] = [0, 0];
      for (const [last, time] of passed.entries()) {
        isEarly ||= time < limits.suspendedUntil;
        while (passed[first]! <= time - MINUTE) first++;
        // Messages allowed in the burst after a pause, plus the probe.
        const allowed = Math.ceil(rateAt(limits, time, MINUTE)! * (1 + 1 / 12)) + 1;
        most = Math.max(most, (last - first + 1) / allowed);
      }
      expect([isEarly, isStarving, most <= 1]).toEqual([false, false, true]);
    }),
    { numRuns: 30 },
  );
});

test("after a suspension, one message is sent, and the others once it has a reply", () => {
  const { gate, clock } = aGate({ limits: tighten(null, EVENT, MINUTE) });
  const [probe, next] = [{}, {}];
  expect(gate.pass(owner, probe)).toBe(false);
  clock.now += MINUTE;
  expect(gate.pass(owner, probe)).toBe(true);
  expect(gate.pass(owner, next)).toBe(false);
  gate.leave(probe, "none");
  expect(gate.pass(owner, next)).toBe(true);
  gate.leave(next, "accepted");
  clock.now += 1_000;
  expect([gate.pass(owner, {}), gate.pass(owner, {}), gate.isProbing]).toEqual([true, true, false]);
});

test("workers share the rate and the connections", () => {
  const limits = tighten(null, { ...EVENT, throttle: "connections", open: 6 }, MINUTE);
  const { gate } = aGate({ limits: { ...limits, perMinute: 600 }, workers: 3 });
  expect([1, 2, 3].map(() => gate.slots.take(owner))).toEqual([true, true, false]);
  const start = gate.schedule();
  expect(gate.schedule() - start).toBe(MINUTE / 400);
});

test("waiting messages are spread over the next minutes", () => {
  const limits = tighten(null, EVENT, MINUTE);
  const { gate } = aGate({ limits });
  const times = Array.from({ length: 20_000 }, () => gate.schedule());
  expect(times.every((at) => at >= limits.suspendedUntil)).toBe(true);
  const firstMinute = times.filter((at) => at < limits.suspendedUntil + MINUTE).length;
  expect(firstMinute).toBeLessThanOrEqual(2 * limits.perMinute!);
  expect(Math.max(...times)).toBeLessThan(limits.suspendedUntil + 21 * MINUTE);
});

test("a throttling reply lowers the rate, which then grows by a tenth a minute", () => {
  const limits = tighten(null, EVENT, MINUTE);
  expect(limits).toMatchObject({ perMinute: 420, level: 1, connections: null });
  expect(limits.suspendedUntil - EVENT.at).toBe(MINUTE);
  expect(rateAt(limits, limits.suspendedUntil + 5 * MINUTE, MINUTE)).toBe(630);
  const later = limits.suspendedUntil + 10 * MINUTE;
  const again = tighten(limits, { ...EVENT, at: later, accepted: 580 }, MINUTE);
  expect(again).toMatchObject({ perMinute: 406, level: 1 });
});

test("failed probes double the suspension up to its maximum, and keep the rate", () => {
  let limits = tighten(null, EVENT, MINUTE);
  const minutes = [];
  for (let failed = 0; failed < 7; failed++) {
    const at = limits.suspendedUntil;
    limits = tighten(limits, { ...EVENT, at, accepted: 0, isProbe: true }, MINUTE);
    minutes.push((limits.suspendedUntil - at) / MINUTE);
  }
  expect(minutes).toEqual([2, 4, 8, 16, 30, 30, 30]);
  expect(limits.perMinute).toBe(420);
});

test("replies to messages sent before the suspension change nothing", () => {
  const limits = tighten(null, EVENT, MINUTE);
  expect(tighten(limits, { ...EVENT, at: EVENT.at + 1 }, MINUTE)).toBe(limits);
});

test("a rejected connection limits connections to those open; if none is open, it suspends the destination", () => {
  const beside = tighten(null, { ...EVENT, throttle: "connections", open: 4 }, MINUTE);
  expect(beside).toMatchObject({ connections: 4, perMinute: null, suspendedUntil: EVENT.at });
  expect(connectionsAt(beside, EVENT.at + 3 * MINUTE, MINUTE)).toBe(7);
  const alone = tighten(
    beside,
    { ...EVENT, throttle: "connections", at: EVENT.at + 1, open: 0 },
    MINUTE,
  );
  expect(alone).toMatchObject({ connections: 2, suspendedUntil: EVENT.at + 1 + MINUTE / 2 });
});

test("the meter counts about one minute", () => {
  const meter = new Meter(MINUTE);
  for (let at = 0; at < 3 * MINUTE; at += 100) meter.count(at);
  expect(meter.read(3 * MINUTE)).toBe(600);
  expect(meter.read(3.5 * MINUTE)).toBe(300);
  expect(meter.read(10 * MINUTE)).toBe(0);
});
