import { asc, eq, inArray, sql } from "drizzle-orm";

import { adminRoles, mailboxes, type OrgUnit, orgUnits, roles } from "#drizzle/schema/index.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { readMailboxSizes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  countPolicyUse,
  type EffectivePolicy,
  POLICY_DEFAULTS,
  type PolicyName,
  type PolicyValue,
  readEffectivePolicies,
} from "./unit-policies.ts";
import { ensureRootUnit } from "./units.ts";

/** A policy that applies in a unit. */
type UnitPolicy = EffectivePolicy & {
  /** The unit's own value; null if it inherits. */
  own: PolicyValue;
  /** The value it would inherit, and from which unit. */
  above: { value: PolicyValue; from: EffectivePolicy["from"] };
  /**
   * Mailboxes that a value set here applies to: in the unit and its descendants, except below units that set
   * their own.
   */
  appliesTo: number;
  /** How many of them used what it allows in the last seven days; null if that isn't known. */
  usedThisWeek: number | null;
};

export type UnitDetail = {
  unit: ListedUnit;
  policies: UnitPolicy[];
  /** Roles limited to the unit or a descendant. */
  roles: { name: string; unitId: number; admins: number }[];
  /** The company's, in MB. */
  sizes: { defaultQuotaMb: number; quotaMbMax: number | null };
};

/** @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing the unit */
export async function getUnit(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: number,
): Promise<UnitDetail> {
  const units = await listUnits(ctx);
  const unit = units.find((one) => one.id === id);
  if (!unit || !hasPrivilegeIn(callerPrivileges, "view_users", id))
    throw new Refusal("not_found", "Unit not found");
  const branch = findBranch(units, unit);
  const [here, above, held, sizes] = await Promise.all([
    readEffectivePolicies(ctx, callerPrivileges, id),
    unit.parentId === null ? [] : readEffectivePolicies(ctx, callerPrivileges, unit.parentId),
    rolesLimitedTo(ctx, branch),
    readMailboxSizes(ctx),
  ]);
  const policies = await Promise.all(
    here.map(async (policy) => {
      const reached = findReached(branch, policy.name);
      const ids = reached.map(({ id }) => id);
      return {
        ...policy,
        own: unit[policy.name],
        above: above.find(({ name }) => name === policy.name) ?? {
          value: POLICY_DEFAULTS[policy.name],
          from: null,
        },
        appliesTo: reached.reduce((count, { mailboxes }) => count + mailboxes, 0),
        usedThisWeek: await countPolicyUse(ctx, policy.name, ids),
      };
    }),
  );
  return { unit, policies, roles: held, sizes };
}

/** A unit and its descendants, which follow it in the list. */
function findBranch(units: ListedUnit[], { id, depth }: ListedUnit): ListedUnit[] {
  const from = units.findIndex((unit) => unit.id === id);
  const length = units.slice(from + 1).findIndex((unit) => unit.depth <= depth);
  return length === -1 ? units.slice(from) : units.slice(from, from + 1 + length);
}

/** The units that a value set in the first one applies to. */
function findReached([top, ...below]: ListedUnit[], policy: PolicyName): ListedUnit[] {
  const reached = [top!];
  for (const unit of below)
    if (unit[policy] === null && reached.some(({ id }) => id === unit.parentId)) reached.push(unit);
  return reached;
}

function rolesLimitedTo(ctx: Context, branch: ListedUnit[]) {
  const ids = branch.map(({ id }) => id);
  return ctx.db
    .select({
      name: roles.name,
      unitId: sql<number>`${roles.orgUnitId}`,
      admins: sql<number>`(
        select count(*)::int from ${adminRoles} where ${adminRoles.roleId} = ${roles.id})`,
    })
    .from(roles)
    .where(sql`${eq(roles.companyId, ctx.companyId)} and ${inArray(roles.orgUnitId, ids)}`)
    .orderBy(asc(sql`lower(${roles.name})`), asc(roles.id));
}

/** A unit with its own number of mailboxes and its distance from the root. */
export type ListedUnit = OrgUnit & { mailboxes: number; depth: number };

/**
 * Lists all units of the company, at least the root, in tree order: parents before children, siblings by
 * name.
 */
export async function listUnits(ctx: Context): Promise<ListedUnit[]> {
  await ensureRootUnit(ctx);
  const units = await ctx.db
    .select({
      unit: orgUnits,
      mailboxes: sql<number>`(
        select count(*)::int from ${mailboxes} where ${mailboxes.orgUnitId} = ${orgUnits.id})`,
    })
    .from(orgUnits)
    .where(eq(orgUnits.companyId, ctx.companyId))
    .orderBy(asc(sql`lower(${orgUnits.name})`), asc(orgUnits.id));
  const below = Map.groupBy(
    units.map(({ unit, mailboxes }) => ({ ...unit, mailboxes })),
    ({ parentId }) => parentId,
  );
  const under = (parentId: number | null, depth: number): ListedUnit[] =>
    (below.get(parentId) ?? []).flatMap((unit) => [
      { ...unit, depth },
      ...under(unit.id, depth + 1),
    ]);
  return under(null, 0);
}

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
