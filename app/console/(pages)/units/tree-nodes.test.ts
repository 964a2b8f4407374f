import { expect, test } from "vitest";

import type { UnitRow } from "./policies.ts";
import { subtreeIds, pathTo, visibleNodes } from "./tree-nodes.ts";

const unit = (id: number, name: string, parent: number | null): UnitRow => ({
  id,
  name,
  parentId: parent,
  isRoot: parent === null,
  mailboxes: 0,
  mailboxesBelow: 0,
});
const units = [
  unit(1, "Northwind", null),
  unit(2, "IT", 1),
  unit(3, "Sales", 1),
  unit(4, "Berlin", 3),
  unit(5, "Desk", 4),
];
const shown = (open: number[], search = "") =>
  visibleNodes(units, (id) => open.includes(id), search).map(
    ({ unit, level, isOpen }) => `${"-".repeat(level)}${unit.name}${isOpen ? "+" : ""}`,
  );

test("a unit is visible when all its ancestors are open", () => {
  expect(shown([])).toEqual(["-Northwind"]);
  expect(shown([1, 4])).toEqual(["-Northwind+", "--IT", "--Sales"]);
  expect(shown([1, 3])).toEqual(["-Northwind+", "--IT", "--Sales+", "---Berlin"]);
});

test("a search shows only matches and their ancestors, open or not", () => {
  expect(shown([], "BER")).toEqual(["-Northwind+", "--Sales+", "---Berlin"]);
  expect(shown([1], "nowhere")).toEqual([]);
});

test("each node has its position among its siblings", () => {
  const [, it, sales] = visibleNodes(units, () => true, "");
  expect([it, sales].map((node) => [node!.position, node!.siblings])).toEqual([
    [1, 2],
    [2, 2],
  ]);
});

test("pathTo returns the ancestors, subtreeIds the descendants", () => {
  expect(pathTo(units, 5)).toEqual([1, 3, 4, 5]);
  expect(pathTo(units, 9)).toEqual([]);
  expect([...subtreeIds(units, 3)]).toEqual([3, 4, 5]);
});
