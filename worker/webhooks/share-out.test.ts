import { expect, test } from "vitest";

import { shareOut } from "./share-out.ts";

const candidate = (webhookId: string, inFlight: number, limit: number) => ({
  ...{ webhookId, inFlight, limit },
});

test("with slots enough everyone gets up to its limit", () => {
  expect(shareOut(100, [candidate("a", 3, 8), candidate("b", 0, 2), candidate("c", 5, 5)])).toEqual(
    [
      { webhookId: "a", take: 5 },
      { webhookId: "b", take: 2 },
    ],
  );
});

test("when slots are short those with the fewest attempts come first", () => {
  const shares = shareOut(5, [
    candidate("busy", 4, 32),
    candidate("a", 0, 32),
    candidate("b", 1, 2),
  ]);
  expect(shares).toEqual([
    { webhookId: "a", take: 4 },
    { webhookId: "b", take: 1 },
  ]);
});

test("no one goes short so that another gets two more", () => {
  const many = ["a", "b", "c", "d"].map((id) => candidate(id, 0, 32));
  expect(shareOut(6, many).map(({ take }) => take)).toEqual([2, 2, 1, 1]);
  expect(shareOut(30, many).map(({ take }) => take)).toEqual([8, 8, 7, 7]);
});

test("never shares out more than there is, the first of the list before the others", () => {
  const many = ["a", "b", "c", "d"].map((id) => candidate(id, 0, 32));
  expect(shareOut(2, many)).toEqual([
    { webhookId: "a", take: 1 },
    { webhookId: "b", take: 1 },
  ]);
  expect(shareOut(1, [candidate("busy", 1, 32), ...many])).toEqual([{ webhookId: "a", take: 1 }]);
  expect(shareOut(0, many)).toEqual([]);
  expect(shareOut(-5, many)).toEqual([]);
});
