import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { HEAVY_BYTES } from "#server/core/sending/outbox/outbox-priority.ts";

import { inHeavyLane, inLanes } from "./in-lanes.ts";

const light = { size: HEAVY_BYTES };
const heavy = { size: HEAVY_BYTES + 1 };

test("heavy messages of all leases are composed one at a time, light ones beside them", async () => {
  const running = { light: 0, heavy: 0 };
  const most = { ...running };
  let prepared = 0;
  const prepare = async ({ size }: { size: number }) => {
    const kind = size > HEAVY_BYTES ? "heavy" : "light";
    most[kind] = Math.max(most[kind], ++running[kind]);
    await setImmediate();
    running[kind]--;
    prepared++;
  };
  const compose = (item: { size: number }) => inHeavyLane(item.size, () => prepare(item));
  const lease = [heavy, heavy, heavy, ...Array.from({ length: 40 }, () => light)];
  await Promise.all([inLanes(lease, compose), inLanes([heavy, heavy, light], compose)]);
  expect(prepared).toBe(46);
  expect(most.heavy).toBe(1);
  expect(most.light).toBeGreaterThan(10);
});

test("a heavy message that waits for the spam filter doesn't keep others from being prepared", async () => {
  const scan = Promise.withResolvers<true>();
  let composed = 0;
  const prepared = inLanes([heavy, heavy], async ({ size }) => {
    await inHeavyLane(size, () => Promise.resolve(composed++));
    if (composed === 2) scan.resolve(true);
    await scan.promise;
  });
  await prepared;
  expect(composed).toBe(2);
});
