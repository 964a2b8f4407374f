import { expect, test } from "vitest";

import { holdStill } from "./steady-rows.ts";

const rows = (...ids: string[]) => ids.map((id) => ({ id, status: "sent" }));

test("rows above those that are shown wait, and none is pushed out below", () => {
  const { rows: shown, waiting } = holdStill(rows("b", "a"), rows("d", "c", "b"));
  expect(shown.map(({ id }) => id)).toEqual(["b", "a"]);
  expect(waiting).toBe(2);
});

test("a row that is shown changes where it stands", () => {
  const latest = [{ id: "b", status: "delivered" }, ...rows("a")];
  expect(holdStill(rows("b", "a"), latest)).toEqual({ rows: latest, waiting: 0 });
});

test("where nothing is shown, or nothing of it is left, the latest are shown", () => {
  expect(holdStill([], rows("a"))).toEqual({ rows: rows("a"), waiting: 0 });
  expect(holdStill(rows("a"), rows("c", "b"))).toEqual({ rows: rows("c", "b"), waiting: 0 });
});
