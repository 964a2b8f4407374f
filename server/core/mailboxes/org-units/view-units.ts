import type { Context } from "#server/core/shared/context.ts";
import {
  hasPrivilegeIn,
  type HeldPrivileges,
} from "#server/core/access/privileges/held-privileges.ts";

import { type ListedUnit, listUnits } from "./list-units.ts";

/** A unit as somebody sees it. */
export type ViewedUnit = ListedUnit & {
  /** Mailboxes in it and in all units below. */
  mailboxesBelow: number;
  /** The unit it is shown under: null at the top of what may be seen. */
  shownUnder: number | null;
};

/**
 * The units that `rights` let one look into, in the order of the tree: all of the company, or the branches
 * that roles are limited to.
 */
export async function viewUnits(ctx: Context, rights: HeldPrivileges): Promise<ViewedUnit[]> {
  const all = await listUnits(ctx);
  const below = countBelow(all);
  const visible = all.filter(({ id }) => hasPrivilegeIn(rights, "view_users", id));
  const seen = new Set(visible.map(({ id }) => id));
  return visible.map((unit) => ({
    ...unit,
    mailboxesBelow: below.get(unit.id)!,
    shownUnder: unit.parentId !== null && seen.has(unit.parentId) ? unit.parentId : null,
  }));
}

/** Each unit stands behind the one it is under: from the end, sums are complete when they are passed on. */
function countBelow(units: ListedUnit[]): Map<number, number> {
  const counts = new Map(units.map(({ id, mailboxes }) => [id, mailboxes]));
  for (const { id, parentId } of units.toReversed())
    if (parentId !== null) counts.set(parentId, counts.get(parentId)! + counts.get(id)!);
  return counts;
}
