import pLimit from "p-limit";

import { HEAVY_BYTES } from "#server/core/sending/outbox/outbox-priority.ts";

/** Light messages of a lease prepared at the same time: enough to keep the thread pool busy. */
const LANES = 16;
/** For all pumps: preparing a heavy message keeps the event loop busy, and all others would wait for several of them. */
const heavyLane = pLimit(1);

/** Prepares leased messages. Resolves once all are prepared. */
export async function inLanes<Item extends { size: number }>(
  items: Item[],
  prepare: (item: Item) => Promise<void>,
): Promise<void> {
  const heavy = items.filter(({ size }) => size > HEAVY_BYTES);
  const light = items.filter(({ size }) => size <= HEAVY_BYTES).values();
  const lane = async () => {
    for (const item of light) await prepare(item);
  };
  await Promise.all([
    ...Array.from({ length: LANES }, lane),
    ...heavy.map((item) => heavyLane(() => prepare(item))),
  ]);
}
