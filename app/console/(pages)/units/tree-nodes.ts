import type { UnitRow } from "./policies.ts";

export type TreeNode = {
  unit: UnitRow;
  /** 1 for the root. */
  level: number;
  hasUnits: boolean;
  isOpen: boolean;
  /** Among its siblings, from 1. */
  position: number;
  siblings: number;
};

/**
 * The visible units in tree order: those whose ancestors are all open or, during a search, the matches
 * with their ancestors.
 *
 * @param units parents before children
 */
export function visibleNodes(
  units: UnitRow[],
  isOpen: (id: number) => boolean,
  search: string,
): TreeNode[] {
  const wanted = search === "" ? null : matchesWithAncestors(units, search);
  const below = Map.groupBy(units, ({ parentId: parent }) => parent);
  const walk = (parent: number | null, level: number): TreeNode[] => {
    const beside = (below.get(parent) ?? []).filter(({ id }) => wanted?.has(id) ?? true);
    return beside.flatMap((unit, at) => {
      const hasUnits = (below.get(unit.id) ?? []).some(({ id }) => wanted?.has(id) ?? true);
      const open = hasUnits && (wanted !== null || isOpen(unit.id));
      const node = { unit, level, hasUnits, isOpen: open };
      const rest = open ? walk(unit.id, level + 1) : [];
      return [{ ...node, position: at + 1, siblings: beside.length }, ...rest];
    });
  };
  return walk(null, 1);
}

/** IDs of matching units and all their ancestors. */
function matchesWithAncestors(units: UnitRow[], search: string): Set<number> {
  const text = search.toLowerCase();
  const parents = new Map(units.map(({ id, parentId: parent }) => [id, parent]));
  const found = new Set<number>();
  for (const { id, name } of units)
    if (name.toLowerCase().includes(text))
      for (let at: number | null = id; at !== null; at = parents.get(at) ?? null) found.add(at);
  return found;
}

/** IDs from the root to the unit, inclusive. */
export function pathTo(units: UnitRow[], id: number): number[] {
  const parents = new Map(units.map((unit) => [unit.id, unit.parentId]));
  const path: number[] = [];
  for (let at: number | null = id; at !== null && parents.has(at); at = parents.get(at) ?? null)
    path.unshift(at);
  return path;
}

/** IDs of a unit and all its descendants. */
export function subtreeIds(units: UnitRow[], id: number): Set<number> {
  const branch = new Set([id]);
  for (const { id: one, parentId: parent } of units)
    if (parent !== null && branch.has(parent)) branch.add(one);
  return branch;
}
