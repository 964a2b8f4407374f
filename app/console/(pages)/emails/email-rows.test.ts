import { expect, test } from "vitest";

import { pinRows } from "./email-rows.ts";

const rows = (...ids: string[]) => ids.map((id) => ({ id, status: "sent" }));

test("new rows above the visible ones wait, and no visible row drops off the end", () => {
  const { rows: shown, waiting } = pinRows(rows("b", "a"), rows("d", "c", "b"));
  expect(shown.map(({ id }) => id)).toEqual(["b", "a"]);
  expect(waiting).toBe(2);
});

test("a visible row is updated in place", () => {
  const latest = [{ id: "b", status: "delivered" }, ...rows("a")];
  expect(pinRows(rows("b", "a"), latest)).toEqual({ rows: latest, waiting: 0 });
});

test("shows the latest rows if none were visible or none of the visible ones remain", () => {
  expect(pinRows([], rows("a"))).toEqual({ rows: rows("a"), waiting: 0 });
  expect(pinRows(rows("a"), rows("c", "b"))).toEqual({ rows: rows("c", "b"), waiting: 0 });
});
