import { expect, test } from "vitest";

import { parseFilters, toListQuery, filterSearch, toggleStatus } from "./filter-params.ts";

test("filters survive the round trip through the URL", () => {
  const filters = { search: "ann+a@b.example", status: "bounced,failed", from: "2026-03-04" };
  expect(parseFilters(new URLSearchParams(filterSearch(filters)))).toEqual(filters);
  expect(filterSearch({ recipient: "" })).toBe("?");
});

test("ignores unknown parameters, empty values and invalid dates", () => {
  const search = new URLSearchParams("after=1&recipient=%20&from=yesterday&to=2026-03-04&x=y");
  expect(parseFilters(search)).toEqual({ to: "2026-03-04" });
});

test("dates become timestamps that include both days in full", () => {
  const { from, to, ...others } = toListQuery({
    from: "2026-03-04",
    to: "2026-03-04",
    key: "none",
  });
  expect(others).toEqual({ key: "none" });
  expect(new Date(from!).getHours()).toBe(0);
  expect(new Date(to!).getDate()).toBe(5);
  expect(Date.parse(to!) - Date.parse(from!)).toBeGreaterThan(22 * 3_600_000);
});

test("toggling a status adds it, toggling it again removes it", () => {
  expect(toggleStatus({ subject: "x" }, "bounced")).toBe("bounced");
  expect(toggleStatus({ status: "bounced" }, "failed")).toBe("bounced,failed");
  expect(toggleStatus({ status: "bounced,failed" }, "bounced")).toBe("failed");
});
