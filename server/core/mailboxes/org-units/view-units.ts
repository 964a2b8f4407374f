import type { Context } from "#server/core/shared/context.ts";
import {
  hasPrivilegeIn,
  type HeldPrivileges,
} from "#server/core/access/privileges/held-privileges.ts";

import { type ListedUnit, listUnits } from "./list-units.ts";

/** A unit as the caller sees it. */
export type ViewedUnit = ListedUnit & {
  /** Mailboxes in it and its descendants. */
  mailboxesBelow: number;
  /** The visible parent; null at the top of a visible branch. */
  shownUnder: number | null;
};

/**
 * Lists the units that `callerPrivileges` include viewing, in tree order: all of the company, or the branches that
 * roles are limited to.
 */
export async function viewUnits(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<ViewedUnit[]> {
  const all = await listUnits(ctx);
  const below = countBelow(all);
  const visible = all.filter(({ id }) => hasPrivilegeIn(callerPrivileges, "view_users", id));
  const seen = new Set(visible.map(({ id }) => id));
  return visible.map((unit) => ({
    ...unit,
    mailboxesBelow: below.get(unit.id)!,
    shownUnder: unit.parentId !== null && seen.has(unit.parentId) ? unit.parentId : null,
  }));
}

/**
 * Parents come before their children, so going backwards completes each sum before it is added to the
 * parent's.
 */
function countBelow(units: ListedUnit[]): Map<number, number> {
  const counts = new Map(units.map(({ id, mailboxes }) => [id, mailboxes]));
  for (const { id, parentId } of units.toReversed())
    if (parentId !== null) counts.set(parentId, counts.get(parentId)! + counts.get(id)!);
  return counts;
}
