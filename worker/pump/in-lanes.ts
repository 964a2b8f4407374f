import pLimit from "p-limit";

import { HEAVY_BYTES } from "#server/core/sending/outbox/outbox-priority.ts";

/** Light messages of a lease prepared at the same time: enough to keep the thread pool busy. */
const LANES = 16;
const heavyLane = pLimit(1);

/**
 * Composes or signs one heavy message at a time, for all pumps: each keeps the event loop busy, and all others would wait
 * for several of them. Don't wait for other programs in it, such as the spam filter.
 */
export const inHeavyLane = <T>(size: number, work: () => Promise<T>): Promise<T> =>
  size > HEAVY_BYTES ? heavyLane(work) : work();

/** Prepares leased messages, all heavy ones at the same time. Resolves once all are prepared. */
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
    ...heavy.map((item) => prepare(item)),
  ]);
}
