import { expect, test } from "vitest";

import { leaseSize } from "./in-flight.ts";

const MB = 1024 * 1024;
const room = { light: 64 * MB, heavy: 64 * MB };

test("one destination may fill a part of the window, with full batches", () => {
  expect(leaseSize({ count: 0, room })).toEqual({
    limit: 500,
    share: { recipients: 750, octets: 0.15 * 64 * MB },
  });
});

test("destinations that never answer leave room in the window for those that do", () => {
  for (const destinations of [1, 5, 20]) {
    const held = Array<number>(destinations).fill(0);
    const count = () => held.reduce((sum, one) => sum + one, 0);
    for (;;) {
      const { limit, share } = leaseSize({ count: count(), room });
      const open = held.flatMap((one, at) => (one < share.recipients ? [at] : []));
      if (open.length === 0) break;
      // The worst case: the whole batch is for one destination.
      held[open[0]!]! += limit;
    }
    expect(count()).toBeLessThan(5_000);
  }
});
