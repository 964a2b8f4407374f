import { and, eq, isNull, ne, sql } from "drizzle-orm";

import { groupUnits, mailboxes, type OrgUnit, orgUnits, roles } from "#drizzle/schema/index.ts";
import { requireNoPrivilegeEscalation } from "#server/core/access/privileges/grants.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { requireMayEnter } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { readQuotaMb } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import { lock } from "#server/db/advisory-locks.ts";

/**
 * Creates a unit below another one, whose policies it inherits.
 *
 * @param parentId null for the root
 * @returns its id
 * @throws Refusal `invalid` for the name or the parent, `already_exists` for a name in use there,
 *   `not_allowed` at the maximum depth
 */
export async function createUnit(
  ctx: Context,
  input: { parentId: number | null; name: string },
): Promise<number> {
  const name = readUnitName(input.name);
  return inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    const parentId = await requireUnit(ctx, input.parentId);
    if ((await getUnitDepth(ctx, parentId)) >= LEVELS_MAX)
      throw new Refusal("not_allowed", `Units can be nested at most ${LEVELS_MAX} levels deep`);
    await requireFreeName(ctx, { name, parentId });
    const [unit] = await ctx.db
      .insert(orgUnits)
      .values({ companyId: ctx.companyId, parentId, name })
      .returning({ id: orgUnits.id });
    await recordAudit(ctx, "unit.created", { unit: unit!.id, name, parent: parentId });
    return unit!.id;
  });
}

/** Omitted fields keep their values. */
export type UnitChange = {
  name?: string | undefined;
  /** The new parent. */
  parentId?: number | undefined;
  policies?: Partial<UnitPolicies>;
};

/**
 * Changes a unit, all fields or none.
 *
 * @throws Refusal as `moveUnit`, `renameUnit` and `setPolicies`; `invalid_permission` if `callerPrivileges` hold more
 *   privileges at the new place
 */
export async function updateUnit(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: number,
  { name, parentId, policies = {} }: UnitChange,
): Promise<void> {
  const transaction = parentId === undefined ? inTransaction : inRevokingTransaction;
  await transaction(ctx, async (ctx) => {
    if (parentId !== undefined) {
      await moveUnit(ctx, id, parentId);
      requireNoPrivilegeEscalation(callerPrivileges, (await getSubtree(ctx, id)).keys(), parentId);
    }
    if (name !== undefined) await renameUnit(ctx, id, name);
    if (Object.keys(policies).length > 0) await setPolicies(ctx, id, policies);
  });
}

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 64;

/** A unit's own policies; null inherits. */
export type UnitPolicies = Pick<
  OrgUnit,
  | "defaultQuotaMb"
  | "imapAllowed"
  | "pop3Allowed"
  | "submissionAllowed"
  | "calendarAllowed"
  | "outsideAllowed"
  | "forwarding"
  | "appPasswordsAllowed"
  | "passwordLengthMin"
  | "quarantineDigest"
  | "quarantineRelease"
  | "fullTextSearch"
>;

/**
 * Sets policies of a unit; those left out stay. They apply at the next sign-in and message; a password length
 * at the next password change, a default quota to new mailboxes.
 *
 * @throws Refusal `not_found`, `invalid`
 */
export async function setPolicies(
  ctx: Context,
  id: number,
  policies: Partial<UnitPolicies>,
): Promise<void> {
  requireUsable(policies);
  await inTransaction(ctx, async (ctx) => {
    const unit = await lockUnit(ctx, id);
    const changed = Object.fromEntries(
      Object.entries(policies).filter(([name, value]) => unit[name as keyof OrgUnit] !== value),
    );
    if (Object.keys(changed).length === 0) return;
    await ctx.db.update(orgUnits).set(changed).where(eq(orgUnits.id, id));
    if ("forwarding" in changed || "outsideAllowed" in changed)
      await enqueue(ctx.db, "refresh_forwards", { companyId: ctx.companyId });
    await recordAudit(ctx, "unit.policies_changed", { unit: id, name: unit.name, changed });
  });
}

function requireUsable({ defaultQuotaMb, passwordLengthMin }: Partial<UnitPolicies>): void {
  if (typeof defaultQuotaMb === "number") readQuotaMb(defaultQuotaMb);
  if (typeof passwordLengthMin !== "number") return;
  const isUsable =
    Number.isInteger(passwordLengthMin) &&
    passwordLengthMin >= PASSWORD_LENGTH_MIN &&
    passwordLengthMin <= PASSWORD_LENGTH_MAX;
  if (!isUsable)
    throw new Refusal(
      "invalid",
      `password_length_min: must be a whole number from ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX}`,
    );
}

/**
 * Moves a unit with its descendants below another one, from which it then inherits policies, roles and memberships. Call in `inRevokingTransaction`.
 *
 * @throws Refusal `not_found`; `invalid` for the root, for a parent of another company, and for a parent
 *   within the unit itself; `already_exists` for a name in use there; `not_allowed` at the maximum depth
 */
export async function moveUnit(ctx: Context, id: number, parentId: number): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    const unit = await lockUnit(ctx, id);
    if (unit.parentId === null) throw new Refusal("invalid", "The root unit can't be moved");
    const parent = await requireUnit(ctx, parentId);
    if (unit.parentId === parent) return;
    const subtree = await getSubtree(ctx, id);
    if (subtree.has(parent))
      throw new Refusal("invalid", "A unit can't be moved into itself or a unit below it", {
        field: "parent_id",
      });
    if ((await getUnitDepth(ctx, parent)) + Math.max(...subtree.values()) > LEVELS_MAX)
      throw new Refusal("not_allowed", `Units can be nested at most ${LEVELS_MAX} levels deep`);
    await requireFreeName(ctx, { name: unit.name, parentId: parent, field: "parent_id" });
    await requireMayEnter(ctx, parent);
    await ctx.db.update(orgUnits).set({ parentId: parent }).where(eq(orgUnits.id, id));
    await enqueue(ctx.db, "refresh_forwards", { companyId: ctx.companyId });
    await recordAudit(ctx, "unit.moved", { unit: id, from: unit.parentId, to: parent });
  });
}

/**
 * Deletes an empty unit, with the roles that are limited to it, and removes it from groups.
 *
 * @throws Refusal `not_found`, `invalid` for the root, `resource_in_use` while it has mailboxes or units
 */
export async function deleteUnit(ctx: Context, id: number): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    // Waits for transactions that are adding a mailbox to it.
    const unit = await lockUnit(ctx, id);
    if (unit.parentId === null) throw new Refusal("invalid", "The root unit can't be deleted");
    if ((await ctx.db.$count(orgUnits, eq(orgUnits.parentId, id))) > 0)
      throw new Refusal(
        "resource_in_use",
        `${unit.name} still has subunits. Move or delete them first`,
      );
    if ((await ctx.db.$count(mailboxes, eq(mailboxes.orgUnitId, id))) > 0)
      throw new Refusal("resource_in_use", `${unit.name} still has mailboxes. Move them first`);
    const limited = await ctx.db
      .delete(roles)
      .where(eq(roles.orgUnitId, id))
      .returning({ name: roles.name });
    const left = await ctx.db.delete(groupUnits).where(eq(groupUnits.orgUnitId, id)).returning();
    await recordAudits(
      ctx,
      "group.unit_removed",
      left.map(({ groupAddress: group }) => ({ group, unit: id, name: unit.name })),
    );
    await ctx.db.delete(orgUnits).where(eq(orgUnits.id, id));
    const details = { unit: id, name: unit.name, roles: limited.map(({ name }) => name) };
    await recordAudit(ctx, "unit.deleted", details);
  });
}

/** Returns the id of a company's root unit, creating it if needed. Safe to call concurrently. */
export async function ensureRootUnit(ctx: CompanyScope): Promise<number> {
  const isRoot = and(eq(orgUnits.companyId, ctx.companyId), isNull(orgUnits.parentId));
  const [found] = await ctx.db.select({ id: orgUnits.id }).from(orgUnits).where(isRoot);
  if (found) return found.id;
  await ctx.db.execute(sql`
    insert into org_units (company_id, name)
    select id, left(name, 120) from companies where id = ${ctx.companyId}
    on conflict (company_id) where parent_id is null do nothing`);
  const [made] = await ctx.db.select({ id: orgUnits.id }).from(orgUnits).where(isRoot);
  if (!made) throw new Error(`There is no company ${ctx.companyId}`);
  return made.id;
}

/** The column is an int4. */
const ID_MAX = 2_147_483_647;

/**
 * Returns the id of a unit that something is being added to, locked against deletion until the transaction
 * ends.
 *
 * @param id null for the company's root unit
 * @throws Refusal `invalid` if it isn't a unit of the company
 */
export async function requireUnit(ctx: Context, id: number | null): Promise<number> {
  const wanted = id ?? (await ensureRootUnit(ctx));
  const [unit] = isId(wanted) ? await select(ctx, wanted).for("key share") : [];
  if (!unit) throw new Refusal("invalid", "org_unit_id: no such unit");
  return unit.id;
}

/**
 * Locks a unit of the company against any change or addition until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
async function lockUnit(ctx: Context, id: number): Promise<OrgUnit> {
  const [unit] = isId(id) ? await select(ctx, id).for("update") : [];
  if (!unit) throw new Refusal("not_found", "Unit not found");
  return unit;
}

const isId = (id: number) => Number.isInteger(id) && id > 0 && id <= ID_MAX;

const select = (ctx: Context, id: number) =>
  ctx.db
    .select()
    .from(orgUnits)
    .where(and(eq(orgUnits.id, id), eq(orgUnits.companyId, ctx.companyId)));

/** @throws Refusal `not_found`, `invalid`, `already_exists` for a sibling's name */
export async function renameUnit(ctx: Context, id: number, written: string): Promise<void> {
  const name = readUnitName(written);
  await inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    const unit = await lockUnit(ctx, id);
    if (unit.name === name) return;
    await requireFreeName(ctx, { name, parentId: unit.parentId, except: id });
    await ctx.db.update(orgUnits).set({ name }).where(eq(orgUnits.id, id));
    await recordAudit(ctx, "unit.renamed", { unit: id, from: unit.name, to: name });
  });
}

const NAME_MAX = 120;

/**
 * Trims and validates a unit's name.
 *
 * @throws Refusal `invalid`
 */
const readUnitName = (text: string): string =>
  readOneLine(text, "name", {
    max: NAME_MAX,
    message: `name: must be 1 to ${NAME_MAX} characters, without control characters`,
  });

/**
 * Requires that no sibling has this name, ignoring case.
 *
 * @param except id of the unit that is being renamed
 * @param field the field that the error is about
 * @throws Refusal `already_exists`
 */
async function requireFreeName(
  ctx: Context,
  {
    name,
    parentId,
    except,
    field = "name",
  }: {
    name: string;
    parentId: number | null;
    except?: number;
    field?: "name" | "parent_id";
  },
): Promise<void> {
  const [taken] = await ctx.db
    .select({ id: orgUnits.id })
    .from(orgUnits)
    .where(
      and(
        eq(orgUnits.companyId, ctx.companyId),
        parentId === null ? isNull(orgUnits.parentId) : eq(orgUnits.parentId, parentId),
        sql`lower(${orgUnits.name}) = lower(${name})`,
        except === undefined ? undefined : ne(orgUnits.id, except),
      ),
    );
  if (taken)
    throw new Refusal("already_exists", `A unit named ${name} already exists in this unit`, {
      field,
    });
}

/** Levels including the root's. Limits the work of resolving policies. */
export const LEVELS_MAX = 10;

/** A unit's level in the tree; the root's is 1. */
async function getUnitDepth(ctx: Context, unitId: number): Promise<number> {
  const [row] = await ctx.db.execute<{ depth: number }>(sql`
    with recursive up as (
      select id, parent_id from org_units
      where id = ${unitId} and company_id = ${ctx.companyId}
      union all
      select u.id, u.parent_id from org_units u join up on u.id = up.parent_id
    )
    select count(*)::int as depth from up`);
  return row!.depth;
}

/** A unit and its descendants by id, with levels relative to the unit, which is at 1. */
async function getSubtree(ctx: Context, unitId: number): Promise<Map<number, number>> {
  const rows = await ctx.db.execute<{ id: number; level: number }>(sql`
    with recursive below as (
      select id, 1 as level from org_units
      where id = ${unitId} and company_id = ${ctx.companyId}
      union all
      select u.id, below.level + 1 from org_units u join below on u.parent_id = below.id
    )
    select id, level from below`);
  return new Map(rows.map(({ id, level }) => [id, level]));
}

/**
 * Serializes changes to the company's unit tree: two moves that are each valid could create a cycle together.
 * Take it before any unit's row lock.
 */
async function lockTree(ctx: Context): Promise<void> {
  await lock(ctx.db, "units", ctx.companyId);
}
