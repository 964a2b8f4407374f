import fc from "fast-check";
import { expect, test } from "vitest";

import type { Failure } from "#mail/smtp/outcome.ts";
import { SessionSlots } from "#mail/smtp/session-slots.ts";

import type { Gate } from "./gate.ts";
import { connectionsAt, rateAt } from "./limits.ts";
import { Shaper } from "./shaper.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const owner = { connections: 0, isAnswering: true, dispatch: () => undefined };

const steps = fc.array(
  fc.record({
    waitMs: fc.integer({ min: 0, max: 3 * MINUTE }),
    demand: fc.integer({ min: 1, max: 40 }),
    reply: fc.constantFrom("accepted", "lost", "connections", "rate", "reputation", "block"),
  }),
  { minLength: 5, maxLength: 60 },
);

type Step = { demand: number; reply: string };

/** The messages of `demand` that may pass now. */
function pass(gate: Gate, demand: number): object[] {
  return Array.from({ length: demand }, () => ({})).filter((job) => {
    gate.enter();
    const isPassed = gate.pass(owner, job);
    if (!isPassed) gate.leave(job, "none");
    return isPassed;
  });
}

/** How many messages may pass at most, and how many connections may be opened. */
function allowedNow(gate: Gate, now: number) {
  const { limits, isSuspended, isProbing } = gate;
  const perMinute = (limits && rateAt(limits, now, MINUTE)) ?? Infinity;
  return {
    messages: isSuspended ? 0 : isProbing ? 1 : perMinute,
    connections: (limits && connectionsAt(limits, now, MINUTE)) ?? Infinity,
  };
}

function receive(shaper: Shaper, gate: Gate, job: object, reply: string): void {
  if (reply === "accepted" || reply === "lost")
    return gate.leave(job, reply === "lost" ? "none" : reply);
  const failure = { result: "delayed", dsn: "4.7.0", message: "421 Slow down", suppress: false };
  const throttled = { ...failure, throttle: reply } as Failure;
  shaper.throttle(gate, { failure: throttled, domain: "there.test", isDomainOnly: false });
  gate.leave(job, "rejected");
}

test("a suspension from before the clock was set back ends", () => {
  const clock = { now: 10 * HOUR };
  const shaper = new Shaper(new SessionSlots(300), { now: () => clock.now });
  const gate = shaper.gate("big");
  shaper.learn("there.test", gate);
  const job = {};
  gate.pass(owner, job);
  receive(shaper, gate, job, "rate");
  expect(shaper.postpone("there.test")).not.toBeNull();
  clock.now -= 9 * HOUR;
  expect(shaper.postpone("there.test")).toBeNull();
  shaper.restore("big", {
    throttle: "rate",
    reply: "421",
    dsn: "4.7.0",
    host: null,
    level: 1,
    changedAt: clock.now,
    suspendedUntil: clock.now + HOUR,
    connections: null,
    perMinute: 10,
  });
  expect(gate.isSuspended).toBe(true);
  shaper.close();
});

test("whatever a provider replies, its limits are never exceeded, and it is never starved", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const clock = { now: 1_000_000 };
      const shaper = new Shaper(new SessionSlots(300), { now: () => clock.now });
      const gate = shaper.gate("big");
      shaper.learn("there.test", gate);
      const take = ({ demand, reply }: Step) => {
        const allowed = allowedNow(gate, clock.now);
        let opened = 0;
        while (opened < demand && gate.slots.take(owner)) opened++;
        const jobs = pass(gate, demand);
        expect(opened).toBeLessThanOrEqual(allowed.connections);
        expect(jobs.length).toBeLessThanOrEqual(allowed.messages);
        for (const job of jobs) receive(shaper, gate, job, reply);
        while (opened-- > 0) gate.slots.release(owner);
      };
      for (const { waitMs, ...step } of taken) {
        clock.now += waitMs;
        take(step);
      }
      clock.now += HOUR;
      expect(shaper.postpone("there.test")).toBeNull();
      expect([gate.slots.take(owner), gate.pass(owner, {})]).toEqual([true, true]);
      shaper.close();
    }),
  );
});
