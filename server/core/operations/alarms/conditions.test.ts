import { expect, test } from "vitest";

import { type Condition, findCrashLoops, settle, type StartsSample } from "./conditions.ts";

const condition = (name: string, afterSeconds?: number): Condition => ({
  name,
  severity: "warning",
  found: "",
  advice: "",
  ...(afterSeconds !== undefined && { afterSeconds }),
});

test("a condition raises an alarm once it has lasted long enough", () => {
  const conditions = [condition("now"), condition("later", 60)];
  const first = settle(conditions, { before: {}, nowMs: 1_000 });
  expect(first.lasting.map(({ name }) => name)).toEqual(["now"]);
  const early = settle(conditions, { before: first.firstFound, nowMs: 60_999 });
  expect(early.lasting.map(({ name }) => name)).toEqual(["now"]);
  const late = settle(conditions, { before: early.firstFound, nowMs: 61_000 });
  expect(late.lasting.map(({ name }) => name)).toEqual(["now", "later"]);
});

test("a condition that was gone for a round starts over", () => {
  const { firstFound } = settle([condition("later", 60)], { before: {}, nowMs: 0 });
  const gone = settle([], { before: firstFound, nowMs: 30_000 });
  const again = settle([condition("later", 60)], { before: gone.firstFound, nowMs: 90_000 });
  expect(again.lasting).toEqual([]);
});

test("a raised alarm's condition counts again at once after a round without it", () => {
  const raised = new Set(["later"]);
  const again = settle([condition("later", 60)], { before: {}, nowMs: 90_000, raised });
  expect(again.lasting).toHaveLength(1);
});

test("three restarts within ten minutes are a crash loop; an upgrade isn't", () => {
  const samples = (...starts: number[]) =>
    starts.map((web, at) => ({ at: at * 60_000, starts: { web } }));
  expect(findCrashLoops(samples(7, 8), { web: 1 })).toEqual([]);
  expect(findCrashLoops(samples(7, 9, 10), { web: 1 })).toEqual([]);
  expect(findCrashLoops(samples(7, 9, 11), { web: 1 })).toMatchObject([
    { name: "crash_loop:web", found: "The web process started 4 times within 10 minutes" },
  ]);
  expect(findCrashLoops(samples(7, 9, 11), { web: 4 })).toEqual([]);
  // The counter started over after a crash of Postgres.
  expect(findCrashLoops(samples(90, 2), { web: 1 })).toEqual([]);
});

test("the first start of a role isn't a crash loop", () => {
  const samples: StartsSample[] = [
    { at: 0, starts: {} },
    { at: 1, starts: { worker: 9 } },
  ];
  expect(findCrashLoops(samples, { worker: 1 })).toEqual([]);
});
