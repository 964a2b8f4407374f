import { expect, test } from "vitest";

import { filtersIn, requestOf, searchOf, withState } from "./email-filters.ts";

test("filters stand in a URL and are read from it", () => {
  const filters = { recipient: "ann+a@b.example", status: "bounced,failed", from: "2026-03-04" };
  expect(filtersIn(new URLSearchParams(searchOf(filters)))).toEqual(filters);
  expect(searchOf({ recipient: "" })).toBe("?");
});

test("what is no filter, empty or no day is left out", () => {
  const search = new URLSearchParams("after=1&recipient=%20&from=yesterday&to=2026-03-04&x=y");
  expect(filtersIn(search)).toEqual({ to: "2026-03-04" });
});

test("days are asked for as moments: the first from its beginning, the last to its end", () => {
  const { from, to, ...others } = requestOf({ from: "2026-03-04", to: "2026-03-04", key: "none" });
  expect(others).toEqual({ key: "none" });
  expect(new Date(from!).getHours()).toBe(0);
  expect(new Date(to!).getDate()).toBe(5);
  expect(Date.parse(to!) - Date.parse(from!)).toBeGreaterThan(22 * 3_600_000);
});

test("a state is chosen, and chosen no more", () => {
  const one = withState({ subject: "x" }, "bounced");
  expect(one).toEqual({ subject: "x", status: "bounced" });
  const both = withState(one, "failed");
  expect(both.status).toBe("bounced,failed");
  expect(withState(both, "bounced").status).toBe("failed");
});
