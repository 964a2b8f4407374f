import type { UnitRow } from "./queries.ts";

/** A unit as the tree shows it. */
export type TreeNode = {
  unit: UnitRow;
  /** The top is 1. */
  level: number;
  hasUnits: boolean;
  isOpen: boolean;
  /** Among those beside it, counted from 1. */
  position: number;
  siblings: number;
};

/**
 * The units that the tree shows, in its order: those whose units above are all open, or, while something is
 * searched, those whose name has it with all above them.
 *
 * @param units each behind the one it is under
 */
export function visibleNodes(
  units: UnitRow[],
  isOpen: (id: number) => boolean,
  search: string,
): TreeNode[] {
  const wanted = search === "" ? null : matching(units, search);
  const below = Map.groupBy(units, ({ parent_id: parent }) => parent);
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

/** Ids of the units whose name has it, and of all above them. */
function matching(units: UnitRow[], search: string): Set<number> {
  const text = search.toLowerCase();
  const parents = new Map(units.map(({ id, parent_id: parent }) => [id, parent]));
  const found = new Set<number>();
  for (const { id, name } of units)
    if (name.toLowerCase().includes(text))
      for (let at: number | null = id; at !== null; at = parents.get(at) ?? null) found.add(at);
  return found;
}

/** Ids of a unit's and all units above it. */
export function pathTo(units: UnitRow[], id: number): number[] {
  const parents = new Map(units.map((unit) => [unit.id, unit.parent_id]));
  const path: number[] = [];
  for (let at: number | null = id; at !== null && parents.has(at); at = parents.get(at) ?? null)
    path.unshift(at);
  return path;
}

/** A unit and all below it, by id: where it cannot be moved to. */
export function branchOf(units: UnitRow[], id: number): Set<number> {
  const branch = new Set([id]);
  for (const { id: one, parent_id: parent } of units)
    if (parent !== null && branch.has(parent)) branch.add(one);
  return branch;
}
