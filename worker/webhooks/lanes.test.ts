import { expect, test } from "vitest";

import { Lanes, type Slot } from "./lanes.ts";

const due = (webhookId: string, failures = 0) => ({ webhookId, failures });

/** Begins an attempt for every slot, as if events never ran out. */
function takeAll(lanes: Lanes): Slot[] {
  const shares = lanes.shares();
  const events = shares.flatMap(({ webhookId, take }) =>
    Array.from({ length: take }, () => ({ webhookId })),
  );
  lanes.taken(shares, events);
  return events.map(({ webhookId }) => lanes.begin(webhookId));
}
const endAll = (lanes: Lanes, slots: Slot[], succeeded: boolean) => {
  for (const slot of slots) lanes.end(slot, { succeeded });
};

test("a webhook starts with eight attempts at a time, gets up to 32 by succeeding, and two after failures", () => {
  const lanes = new Lanes();
  lanes.note([due("a")]);
  const counts: number[] = [];
  for (let round = 0; round < 5; round++) {
    const slots = takeAll(lanes);
    counts.push(slots.length);
    endAll(lanes, slots, true);
  }
  expect(counts).toEqual([8, 16, 32, 32, 32]);
  endAll(lanes, takeAll(lanes), false);
  expect(takeAll(lanes)).toHaveLength(2);
});

test("one that was failing before this worker looked starts with two", () => {
  const lanes = new Lanes();
  lanes.note([due("a", 3)]);
  expect(lanes.shares()).toEqual([{ webhookId: "a", take: 2 }]);
});

test("one that gave less than was asked is not asked again until something is due", () => {
  const lanes = new Lanes();
  lanes.note([due("a")]);
  lanes.taken(lanes.shares(), [{ webhookId: "a" }]);
  expect(lanes.end(lanes.begin("a"), { succeeded: true })).toBe(false);
  expect(lanes.shares()).toEqual([]);
  lanes.note([due("a")]);
  expect(lanes.shares()).toHaveLength(1);
});

test("endpoints that leave us waiting give their slots back, and keep to those of the doubtful", () => {
  const lanes = new Lanes();
  lanes.note(Array.from({ length: 100 }, (_, i) => due(`dead ${i}`)));
  const waiting = takeAll(lanes);
  expect(waiting).toHaveLength(200);
  lanes.note([due("healthy")]);
  expect(takeAll(lanes)).toEqual([]);

  for (const slot of waiting) lanes.noteSlow(slot);
  expect(takeAll(lanes).filter(({ webhookId }) => webhookId === "healthy")).toHaveLength(8);
  // At most 500, however many wait.
  expect(lanes.shares()).toHaveLength(0);
});

test("failing ones cannot take the slots of the others, and one quick success brings one back", () => {
  const lanes = new Lanes();
  lanes.note(Array.from({ length: 400 }, (_, i) => due(`failing ${i}`, 9)));
  const failing = takeAll(lanes);
  expect(failing).toHaveLength(500);
  lanes.note([due("healthy")]);
  expect(lanes.shares()).toEqual([{ webhookId: "healthy", take: 8 }]);
  takeAll(lanes);

  const [mended] = failing;
  lanes.end(mended!, { succeeded: true });
  expect(lanes.shares().map(({ webhookId }) => webhookId)).toContain(mended!.webhookId);
  expect(lanes.begin(mended!.webhookId)).toMatchObject({ pool: "prompt" });
});

test("when slots are short, one that has none in flight comes before those that have", () => {
  const lanes = new Lanes();
  lanes.note(Array.from({ length: 20 }, (_, i) => due(`busy ${i}`)));
  endAll(lanes, takeAll(lanes), true);
  const busy = takeAll(lanes);
  expect(busy).toHaveLength(200);
  lanes.note([due("quiet")]);
  endAll(lanes, busy.slice(0, 2), true);
  expect(lanes.shares()).toEqual([{ webhookId: "quiet", take: 2 }]);
});

test("a webhook whose events we cannot post is left alone", () => {
  const lanes = new Lanes();
  lanes.note([due("a")]);
  lanes.rest("a");
  expect(lanes.shares()).toEqual([]);
});
