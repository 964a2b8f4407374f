import { expect, test } from "vitest";

import type { LeasedEvent } from "#server/core/webhooks/attempts/event-leases.ts";

import { assignSlots, Lanes, type Slot } from "./lanes.ts";

/** What a lane reads of an event. */
const anEvent = (webhookId: string) => ({ webhookId }) as LeasedEvent;

const due = (webhookId: string, failures = 0) => ({ webhookId, failures });

/** Begins an attempt for every slot, as if events never ran out. */
function takeAll(lanes: Lanes): Slot[] {
  const shares = lanes.shares();
  const events = shares.flatMap(({ webhookId, take }) =>
    Array.from({ length: take }, () => anEvent(webhookId)),
  );
  lanes.recordLeased(shares, events);
  for (const event of events) lanes.add(event);
  return shares.flatMap(({ webhookId }) => beginNext(lanes, webhookId));
}

function beginNext(lanes: Lanes, webhookId: string): Slot[] {
  const slots: Slot[] = [];
  while (lanes.next(webhookId)) slots.push(lanes.begin(webhookId));
  return slots;
}
const endAll = (lanes: Lanes, slots: Slot[], succeeded: boolean) => {
  for (const slot of slots) lanes.end(slot, { succeeded });
};

test("a webhook starts with eight concurrent attempts, gets up to 32 by succeeding, and two after failures", () => {
  const lanes = new Lanes();
  lanes.addDue([due("a")]);
  const counts: number[] = [];
  for (let round = 0; round < 5; round++) {
    const slots = takeAll(lanes);
    counts.push(slots.length);
    endAll(lanes, slots, true);
    lanes.dropAhead("a");
  }
  expect(counts).toEqual([8, 16, 32, 32, 32]);
  endAll(lanes, takeAll(lanes), false);
  lanes.dropAhead("a");
  expect(takeAll(lanes)).toHaveLength(2);
});

test("half as many events again are leased ahead for a webhook with 32 attempts, until one fails", () => {
  const lanes = new Lanes();
  lanes.addDue([due("a")]);
  for (let round = 0; round < 2; round++) endAll(lanes, takeAll(lanes), true);
  expect(lanes.shares()).toEqual([{ webhookId: "a", take: 48 }]);
  const slots = takeAll(lanes);
  expect(slots).toHaveLength(32);
  expect(lanes.shares()).toEqual([]);
  endAll(lanes, slots.splice(0, 8), true);
  slots.push(...beginNext(lanes, "a"));
  expect(slots).toHaveLength(32);
  expect(lanes.shares()).toEqual([{ webhookId: "a", take: 8 }]);

  lanes.end(slots[0]!, { succeeded: false });
  expect(lanes.dropAhead("a")).toHaveLength(8);
  expect(lanes.next("a")).toBeNull();
  endAll(lanes, slots.slice(1), true);
  expect(lanes.shares()).toEqual([{ webhookId: "a", take: 48 }]);
});

test("a webhook that was already failing starts with two", () => {
  const lanes = new Lanes();
  lanes.addDue([due("a", 3)]);
  expect(lanes.shares()).toEqual([{ webhookId: "a", take: 2 }]);
});

test("a webhook with fewer events than its share is skipped until more are due", () => {
  const lanes = new Lanes();
  lanes.addDue([due("a")]);
  lanes.recordLeased(lanes.shares(), [{ webhookId: "a" }]);
  expect(lanes.end(lanes.begin("a"), { succeeded: true })).toBe(false);
  expect(lanes.shares()).toEqual([]);
  lanes.addDue([due("a")]);
  expect(lanes.shares()).toHaveLength(1);
});

test("slow endpoints move to the doubtful slots", () => {
  const lanes = new Lanes();
  lanes.addDue(Array.from({ length: 100 }, (_, i) => due(`dead ${i}`)));
  const waiting = takeAll(lanes);
  expect(waiting).toHaveLength(200);
  lanes.addDue([due("healthy")]);
  expect(takeAll(lanes)).toEqual([]);

  for (const slot of waiting) lanes.markSlow(slot);
  expect(takeAll(lanes).filter(({ webhookId }) => webhookId === "healthy")).toHaveLength(8);
  // At most 500, however many wait.
  expect(lanes.shares()).toHaveLength(0);
});

test("failing webhooks can't use the prompt slots, and one prompt success restores a webhook", () => {
  const lanes = new Lanes();
  lanes.addDue(Array.from({ length: 400 }, (_, i) => due(`failing ${i}`, 9)));
  const failing = takeAll(lanes);
  expect(failing).toHaveLength(500);
  lanes.addDue([due("healthy")]);
  expect(lanes.shares()).toEqual([{ webhookId: "healthy", take: 8 }]);
  takeAll(lanes);

  const [mended] = failing;
  lanes.end(mended!, { succeeded: true });
  expect(lanes.shares().map(({ webhookId }) => webhookId)).toContain(mended!.webhookId);
  expect(lanes.begin(mended!.webhookId)).toMatchObject({ pool: "prompt" });
});

test("when slots are short, a webhook with nothing in flight comes first", () => {
  const lanes = new Lanes();
  lanes.addDue(Array.from({ length: 20 }, (_, i) => due(`busy ${i}`)));
  endAll(lanes, takeAll(lanes), true);
  const busy = takeAll(lanes);
  expect(busy).toHaveLength(200);
  lanes.addDue([due("quiet")]);
  endAll(lanes, busy.slice(0, 2), true);
  expect(lanes.shares()).toEqual([{ webhookId: "quiet", take: 2 }]);
});

test("a webhook is paused when its events can't be posted", () => {
  const lanes = new Lanes();
  lanes.addDue([due("a")]);
  lanes.rest("a");
  expect(lanes.shares()).toEqual([]);
});

const candidate = (webhookId: string, inFlight: number, limit: number) => ({
  webhookId,
  inFlight,
  limit,
});

test("with enough slots, every webhook gets up to its limit", () => {
  expect(
    assignSlots(100, [candidate("a", 3, 8), candidate("b", 0, 2), candidate("c", 5, 5)]),
  ).toEqual([
    { webhookId: "a", take: 5 },
    { webhookId: "b", take: 2 },
  ]);
});

test("if slots are short, webhooks with the fewest attempts come first", () => {
  const shares = assignSlots(5, [
    candidate("busy", 4, 32),
    candidate("a", 0, 32),
    candidate("b", 1, 2),
  ]);
  expect(shares).toEqual([
    { webhookId: "a", take: 4 },
    { webhookId: "b", take: 1 },
  ]);
});

test("slots are shared evenly", () => {
  const many = ["a", "b", "c", "d"].map((id) => candidate(id, 0, 32));
  expect(assignSlots(6, many).map(({ take }) => take)).toEqual([2, 2, 1, 1]);
  expect(assignSlots(30, many).map(({ take }) => take)).toEqual([8, 8, 7, 7]);
});

test("never assigns more slots than there are; ties go to the first in the list", () => {
  const many = ["a", "b", "c", "d"].map((id) => candidate(id, 0, 32));
  expect(assignSlots(2, many)).toEqual([
    { webhookId: "a", take: 1 },
    { webhookId: "b", take: 1 },
  ]);
  expect(assignSlots(1, [candidate("busy", 1, 32), ...many])).toEqual([
    { webhookId: "a", take: 1 },
  ]);
  expect(assignSlots(0, many)).toEqual([]);
  expect(assignSlots(-5, many)).toEqual([]);
});
