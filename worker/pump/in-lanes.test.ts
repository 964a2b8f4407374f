import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { HEAVY_BYTES } from "#server/core/sending/outbox/outbox-priority.ts";

import { inLanes } from "./in-lanes.ts";

const light = { size: HEAVY_BYTES };
const heavy = { size: HEAVY_BYTES + 1 };

test("heavy messages of all leases are prepared one at a time, light ones beside them", async () => {
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
  const lease = [heavy, heavy, heavy, ...Array.from({ length: 40 }, () => light)];
  await Promise.all([inLanes(lease, prepare), inLanes([heavy, heavy, light], prepare)]);
  expect(prepared).toBe(46);
  expect(most.heavy).toBe(1);
  expect(most.light).toBeGreaterThan(10);
});
