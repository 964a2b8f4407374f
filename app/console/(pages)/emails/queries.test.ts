import { expect, test } from "vitest";

import { filterSearch, parseEmailFilters, toggleStatus } from "./queries.ts";

test("filters survive the round trip through the URL", () => {
  const filters = { search: "ann+a@b.example", status: "bounced,failed", from: "2026-03-04" };
  expect(parseEmailFilters(new URLSearchParams(filterSearch(filters)))).toEqual(filters);
  expect(filterSearch({ recipient: "" })).toBe("?");
});

test("toggling a status adds it, toggling it again removes it", () => {
  expect(toggleStatus({ subject: "x" }, "bounced")).toBe("bounced");
  expect(toggleStatus({ status: "bounced" }, "failed")).toBe("bounced,failed");
  expect(toggleStatus({ status: "bounced,failed" }, "bounced")).toBe("failed");
});
