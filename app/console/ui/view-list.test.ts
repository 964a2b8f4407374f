import { expect, test } from "vitest";

import { deleteView, saveView, viewSearch } from "./view-list.ts";

const searchOf = (query: string) => viewSearch(new URLSearchParams(query));

test("a view has the filters, order and columns, but not the page", () => {
  expect(searchOf("status=full&sort=-name&hide=unit&after=a%40x.example")).toBe(
    "?hide=unit&sort=-name&status=full",
  );
  expect(searchOf("sort=-name&hide=unit&status=full")).toBe("?hide=unit&sort=-name&status=full");
  expect(searchOf("after=1")).toBe("?");
});

test("a view replaces the one with its name, and views are sorted by name", () => {
  const one = saveView([], { name: "Full", search: "?status=full" });
  const two = saveView(one, { name: "Disabled", search: "?status=suspended" });
  expect(two.map(({ name }) => name)).toEqual(["Disabled", "Full"]);
  const changed = saveView(two, { name: "Full", search: "?status=nearly_full" });
  expect(changed).toEqual([two[0], { name: "Full", search: "?status=nearly_full" }]);
  expect(deleteView(changed, "Disabled").map(({ name }) => name)).toEqual(["Full"]);
});
