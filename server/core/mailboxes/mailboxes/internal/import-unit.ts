import { Refusal } from "#server/core/shared/refusals.ts";

export type UnitInTree = { id: number; parentId: number | null; name: string };

/**
 * Resolves the unit path of an import line, such as "Sales / Berlin", ignoring case, with or without the
 * root's name. An empty path means the root, or the only unit in which the caller can create mailboxes.
 *
 * @throws Refusal `invalid` for an unknown or missing path, `invalid_permission`
 */
export function resolveImportUnit(
  units: UnitInTree[],
  path: string,
  mayCreate: (unitId: number) => boolean,
): UnitInTree {
  const names = path
    .split(/[/>\\]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unit = names.length === 0 ? defaultUnit(units, mayCreate) : findByPath(units, names);
  // The same error for invisible and unknown units.
  if (!unit || !mayCreate(unit.id))
    throw new Refusal("invalid", "doesn't exist, or you can't create mailboxes in it");
  return unit;
}

function defaultUnit(units: UnitInTree[], mayCreate: (unitId: number) => boolean) {
  const allowed = units.filter(({ id }) => mayCreate(id));
  const root = allowed.find(({ parentId }) => parentId === null);
  if (root) return root;
  if (allowed.length > 1) throw new Refusal("invalid", "is required");
  return allowed[0];
}

function findByPath(units: UnitInTree[], names: string[]): UnitInTree | undefined {
  const root = units.find(({ parentId }) => parentId === null);
  if (!root) return undefined;
  const below = (parent: UnitInTree, name: string) =>
    units.find((unit) => unit.parentId === parent.id && isNamed(unit, name));
  const walk = (steps: string[]) =>
    steps.reduce<UnitInTree | undefined>((at, name) => at && below(at, name), root);
  const found = walk(names);
  if (found || !isNamed(root, names[0]!)) return found;
  return walk(names.slice(1));
}

const isNamed = ({ name }: UnitInTree, wanted: string) =>
  name.toLowerCase() === wanted.toLowerCase();
