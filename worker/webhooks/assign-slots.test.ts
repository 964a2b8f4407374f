import { expect, test } from "vitest";

import { assignSlots } from "./assign-slots.ts";

const candidate = (webhookId: string, inFlight: number, limit: number) => ({
  ...{ webhookId, inFlight, limit },
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
