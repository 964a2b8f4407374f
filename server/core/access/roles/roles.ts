import { and, asc, eq, ne, type SQL, sql } from "drizzle-orm";

import { adminRoles, admins, orgUnits, roles } from "#drizzle/schema/index.ts";
import { requireTeamManager } from "#server/core/access/admins/team.ts";
import { grantedPrivileges, requireCanGrant } from "#server/core/access/privileges/grants.ts";
import { endGivenCredentials } from "#server/core/access/sign-in/steps.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import {
  type Privilege,
  privilegeLabel,
  PRIVILEGES,
  type READY_MADE_ROLES,
  UNIT_PRIVILEGES,
} from "#server/universal/privileges.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";

/** A role with its unit's name and its holders by address. */
export type ListedRole = StoredRole & {
  unitName: string | null;
  holders: { id: string; email: string; name: string }[];
};

/** Lists the company's roles by name. */
export const listRoles = (ctx: Context): Promise<ListedRole[]> => selectRoles(ctx, sql`true`);

/** @throws Refusal `not_found` */
export async function getRole(ctx: Context, id: string): Promise<ListedRole> {
  const [role] = await selectRoles(ctx, eq(roles.id, id));
  if (!role) throw new Refusal("not_found", "Role not found");
  return role;
}

async function selectRoles(ctx: Context, which: SQL): Promise<ListedRole[]> {
  const rows = await ctx.db
    .select({
      role: roles,
      unitName: orgUnits.name,
      holders: sql<ListedRole["holders"]>`coalesce((
        select json_agg(json_build_object('id', a.id, 'email', a.email, 'name', a.name)
          order by a.email)
        from admin_roles held join admins a on a.id = held.admin_id
        where held.role_id = ${roles.id} and a.company_id = ${roles.companyId}), '[]'::json)`,
    })
    .from(roles)
    .leftJoin(orgUnits, eq(orgUnits.id, roles.orgUnitId))
    .where(sql`${eq(roles.companyId, ctx.companyId)} and ${which}`)
    .orderBy(asc(sql`lower(${roles.name})`), asc(roles.id));
  return rows.map(({ role, ...rest }) => ({ ...role, ...rest }));
}

const ROLES_MAX = 200;

/**
 * Creates a role and returns its id.
 *
 * @throws Refusal `invalid`, `already_exists` for a name in use, `not_allowed` for a privilege that the
 *   caller lacks, or the 201st role
 */
export function createRole(ctx: Context, written: RoleInput): Promise<string> {
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const fields = await readRole(ctx, written);
    requireCanGrant(manager, fields, "This role");
    await requireFreeRoleName(ctx, fields.name);
    if ((await ctx.db.$count(roles, eq(roles.companyId, ctx.companyId))) >= ROLES_MAX)
      throw new Refusal("not_allowed", `A company has at most ${ROLES_MAX} roles`);
    const [role] = await ctx.db
      .insert(roles)
      .values({ companyId: ctx.companyId, ...fields })
      .returning({ id: roles.id });
    await recordAudit(ctx, "role.created", { roleId: role!.id, ...fields });
    return role!.id;
  });
}

/**
 * Returns the ID of a ready-made role, which it creates at its first use. Call under `lockTeam`.
 *
 * @throws Refusal as `createRole`; `already_exists` if the company has another role with that name
 */
export async function ensureReadyMadeRole(
  ctx: Context,
  { name, privileges }: (typeof READY_MADE_ROLES)[number],
): Promise<string> {
  const [found] = await selectRoles(ctx, eq(sql`lower(${roles.name})`, name.toLowerCase()));
  if (!found) return createRole(ctx, { name, privileges, orgUnitId: null });
  if (found.orgUnitId === null && isSameSet(found.privileges, privileges)) return found.id;
  throw new Refusal(
    "already_exists",
    `roles: your company now has a different role named ${found.name}. Reload the page`,
  );
}

/**
 * Changes a role, and thereby the privileges of its holders. The caller needs to hold only the privileges
 * that the change adds.
 *
 * @param expected the role as the caller saw it
 * @throws Refusal `not_found`, `invalid`, `already_exists`, `not_allowed`, `resource_in_use` if the role
 *   changed since the caller read it
 */
export async function updateRole(
  ctx: Context,
  id: string,
  { written, expected }: { written: RoleInput; expected: RoleInput },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const before = await lockRole(ctx, id);
    requireUnchanged(before, expected);
    const after = await readRole(ctx, written);
    const added = addedPrivileges(before, after);
    requireCanGrant(manager, added, "This role");
    await requireFreeRoleName(ctx, after.name, id);
    const changed = differences(before, after);
    if (Object.keys(changed).length === 0) return;
    await ctx.db.update(roles).set(after).where(eq(roles.id, id));
    if (added.privileges.length > 0) await recordPromotion(ctx, await listHolders(ctx, id));
    await recordAudit(ctx, "role.updated", { roleId: id, name: before.name, changed });
  });
}

function requireUnchanged(role: StoredRole, expected: RoleInput): void {
  const isSame =
    role.name === expected.name &&
    role.orgUnitId === expected.orgUnitId &&
    isSameSet(role.privileges, expected.privileges);
  if (!isSame)
    throw new Refusal(
      "resource_in_use",
      "This role has changed since you opened it. Reload it and try again",
    );
}

/** What the change adds; everything, if the role moves to another unit. */
function addedPrivileges(before: StoredRole, after: RoleFields): RoleFields {
  const given = before.orgUnitId === after.orgUnitId ? grantedPrivileges(before) : [];
  return { ...after, privileges: after.privileges.filter((each) => !given.includes(each)) };
}

const differences = (before: StoredRole, after: RoleFields) => ({
  ...(before.name !== after.name && { name: { from: before.name, to: after.name } }),
  ...(before.orgUnitId !== after.orgUnitId && {
    orgUnitId: { from: before.orgUnitId, to: after.orgUnitId },
  }),
  ...(!isSameSet(before.privileges, after.privileges) && {
    privileges: { from: before.privileges, to: after.privileges },
  }),
});

const isSameSet = (one: readonly string[], other: readonly string[]) =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/**
 * Deletes a role. Its holders lose its privileges at once.
 *
 * @throws Refusal `not_found`
 */
export async function deleteRole(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    await requireTeamManager(ctx);
    const { name, privileges, orgUnitId } = await lockRole(ctx, id);
    const lostBy = await listHolders(ctx, id);
    await ctx.db.delete(roles).where(eq(roles.id, id));
    await recordAudit(ctx, "role.deleted", { roleId: id, name, privileges, orgUnitId, lostBy });
  });
}

async function listHolders(ctx: Context, id: string): Promise<string[]> {
  const holders = await ctx.db
    .select({ email: admins.email })
    .from(adminRoles)
    .innerJoin(admins, eq(admins.id, adminRoles.adminId))
    .where(and(eq(adminRoles.roleId, id), eq(admins.companyId, ctx.companyId)))
    .orderBy(asc(admins.email));
  return holders.map(({ email }) => email);
}

/** Call in the transaction that gives admins of the company more privileges. */
export async function recordPromotion(ctx: Context, emails: string[]): Promise<void> {
  await endGivenCredentials(ctx.db, emails);
  const event = "promoted" as const;
  await notifyAdmins(
    ctx,
    ...emails.map((email) => ({ kind: "sign_in_mail_shared" as const, email, event })),
  );
}

const NAME_MAX = 60;

export type RoleInput = {
  name: string;
  privileges: string[];
  /** The unit that the role is limited to, with its descendants; null for the whole company. */
  orgUnitId: number | null;
};

type RoleFields = { name: string; privileges: Privilege[]; orgUnitId: number | null };

/**
 * Validates a role's fields and sorts its privileges.
 *
 * @throws Refusal `invalid` beginning with the field: `name`, `privileges` or `unit_id`
 */
async function readRole(ctx: Context, written: RoleInput): Promise<RoleFields> {
  const { orgUnitId } = written;
  const { name, privileges } = readFields({
    name: () => readOneLine(written.name, "name", { max: NAME_MAX }),
    privileges: () => readPrivileges(written.privileges),
  });
  if (orgUnitId !== null) {
    await requireUnit(ctx, orgUnitId);
    requireUnitPrivileges(privileges);
  }
  return { name, privileges, orgUnitId };
}

function readPrivileges(written: readonly string[]): Privilege[] {
  const privileges = PRIVILEGES.filter((each) => written.includes(each));
  const unknown = written.find((each) => !(PRIVILEGES as readonly string[]).includes(each));
  if (unknown !== undefined)
    throw new Refusal("invalid", `privileges: "${unknown.slice(0, 40)}" is not a privilege`);
  if (privileges.length === 0)
    throw new Refusal("invalid", "privileges: must include at least one privilege");
  return privileges;
}

async function requireUnit(ctx: Context, id: number): Promise<void> {
  const isOwn = and(eq(orgUnits.id, id), eq(orgUnits.companyId, ctx.companyId));
  const [unit] = await ctx.db
    .select({ id: orgUnits.id })
    .from(orgUnits)
    .where(isOwn)
    .for("key share");
  if (!unit) throw new Refusal("invalid", "unit_id: no longer exists");
}

function requireUnitPrivileges(privileges: Privilege[]): void {
  const others = privileges.filter(
    (each) => !(UNIT_PRIVILEGES as readonly string[]).includes(each),
  );
  if (others.length === 0) return;
  const names = others.map(privilegeLabel).join(", ");
  throw new Refusal("invalid", `privileges: a role for one unit can't include ${names}`);
}

export type StoredRole = typeof roles.$inferSelect;

/**
 * Locks a role until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
async function lockRole(ctx: Context, id: string): Promise<StoredRole> {
  const [role] = await ctx.db
    .select()
    .from(roles)
    .where(and(eq(roles.id, id), eq(roles.companyId, ctx.companyId)))
    .for("no key update");
  if (!role) throw new Refusal("not_found", "Role not found");
  return role;
}

/**
 * Requires that no other role has this name, ignoring case. Call under `lockTeam`.
 *
 * @param except id of the role that already has the name
 * @throws Refusal `already_exists`
 */
async function requireFreeRoleName(ctx: Context, name: string, except?: string): Promise<void> {
  const taken = and(
    eq(roles.companyId, ctx.companyId),
    eq(sql`lower(${roles.name})`, name.toLowerCase()),
    except === undefined ? undefined : ne(roles.id, except),
  );
  if ((await ctx.db.$count(roles, taken)) > 0)
    throw new Refusal("already_exists", "name: is already used by another role");
}

/**
 * Serializes changes to admins and roles within a company, so that a privilege can't be revoked while its
 * holder grants it, and two owners can't remove each other. Take it before any row lock.
 */
export async function lockTeam(ctx: Context): Promise<void> {
  await lock(ctx.db, "team", ctx.companyId);
}
