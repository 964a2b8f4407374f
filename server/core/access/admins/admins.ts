import { and, eq, inArray, isNull, ne, notExists, sql } from "drizzle-orm";
import { type Admin, adminRoles, admins, people, roles, sessions } from "#drizzle/schema/index.ts";
import { revokeAdminKeys } from "#server/core/access/api-keys/api-keys.ts";
import {
  lockKnownPerson,
  readAdminName,
  requireConfirmed,
} from "#server/core/access/people/people.ts";
import { requireCanGrant } from "#server/core/access/privileges/grants.ts";
import {
  ensureReadyMadeRole,
  lockTeam,
  recordPromotion,
  type StoredRole,
} from "#server/core/access/roles/roles.ts";
import { READY_MADE_ROLES } from "#server/universal/privileges.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  requireTeamManager,
  selectShownAdmins,
  type ShownAdmin,
  type TeamManager,
} from "./team.ts";

/** @throws Refusal `not_found` */
export async function getAdmin(ctx: Context, id: string): Promise<ShownAdmin> {
  const [admin] = await selectShownAdmins(ctx).where(
    and(eq(admins.id, id), eq(admins.companyId, ctx.companyId)),
  );
  if (!admin) throw notFound();
  return admin;
}

/**
 * Locks an admin's row until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
async function lockAdmin(ctx: Context, id: string): Promise<Admin> {
  const [admin] = await ctx.db
    .select()
    .from(admins)
    .where(and(eq(admins.id, id), eq(admins.companyId, ctx.companyId)))
    .for("no key update");
  if (!admin) throw notFound();
  return admin;
}

const notFound = () => new Refusal("not_found", "Admin not found");

/** Omitted fields keep their values. */
export type AdminChange = {
  name?: string | undefined;
  isOwner?: boolean | undefined;
  /** What the caller saw; if it has changed since, the update fails. */
  expectedIsOwner?: boolean | undefined;
  /** Replaces all roles. */
  roleIds?: string[] | undefined;
  /** The roles the caller saw; if they have changed since, the update fails. */
  expectedRoleIds?: string[] | undefined;
  /** Direct privileges to keep; can't add any. */
  privileges?: string[] | undefined;
};

/**
 * Updates an admin of the company. All checks run before the first write.
 *
 * @throws Refusal `not_found`; `invalid_permission` if the caller can't manage admins, or can't manage
 *   owners; `not_allowed` for the last owner, for an owner whose address isn't confirmed, for roles with privileges that the caller lacks, and for adding
 *   roles to yourself; `invalid`; `resource_in_use` if ownership or the roles changed since the
 *   caller read them
 */
export async function updateAdmin(ctx: Context, id: string, change: AdminChange): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const admin = await lockAdmin(ctx, id);
    requireCanChange(manager, admin);
    const fields = {
      ...nameChange(admin, change),
      ...(await ownerChange(ctx, { manager, admin, change })),
      ...privilegesChange(admin, change),
    };
    const given = await roleChange(ctx, { manager, admin, change });
    if (Object.keys(fields).length > 0)
      await ctx.db.update(admins).set(fields).where(eq(admins.id, id));
    await writeRoles(ctx, id, given);
    if (fields.isOwner || given.added.length > 0) await recordPromotion(ctx, [admin.email]);
    const changed = { ...differences(admin, fields), ...given.names };
    if (Object.keys(changed).length > 0)
      await recordAudit(ctx, "admin.updated", { adminId: id, email: admin.email, changed });
  });
}

type UpdateRequest = { manager: TeamManager; admin: Admin; change: AdminChange };

type Fields = Partial<Pick<Admin, "name" | "isOwner" | "privileges">>;

function nameChange(admin: Admin, { name }: AdminChange): Fields {
  if (name === undefined) return {};
  const read = readAdminName(name);
  return read === admin.name ? {} : { name: read };
}

async function ownerChange(
  ctx: Context,
  { manager, admin, change }: UpdateRequest,
): Promise<Fields> {
  const { isOwner, expectedIsOwner = admin.isOwner } = change;
  if (isOwner !== undefined && expectedIsOwner !== admin.isOwner)
    throw new Refusal(
      "resource_in_use",
      "Someone else has just changed whether this admin is an owner. Check it and try again",
    );
  if (isOwner === undefined || isOwner === admin.isOwner) return {};
  if (!manager.isOwner)
    throw new Refusal("invalid_permission", "Only an owner can make an admin an owner");
  if (isOwner) requireConfirmed((await lockKnownPerson(ctx.db, admin.email))!);
  else await requireAnotherOwner(ctx, admin);
  return { isOwner };
}

function privilegesChange(admin: Admin, { privileges }: AdminChange): Fields {
  if (privileges === undefined) return {};
  if (privileges.some((each) => !admin.privileges.includes(each)))
    throw new Refusal("not_allowed", "Grant privileges through roles");
  const kept = admin.privileges.filter((each) => privileges.includes(each));
  return kept.length === admin.privileges.length ? {} : { privileges: kept };
}

type RoleChange = { added: string[]; removed: string[]; names: Record<string, string[]> };

async function roleChange(
  ctx: Context,
  { manager, admin, change: { roleIds, expectedRoleIds } }: UpdateRequest,
): Promise<RoleChange> {
  if (roleIds === undefined) return { added: [], removed: [], names: {} };
  const held = await ctx.db
    .select({ id: adminRoles.roleId })
    .from(adminRoles)
    .where(eq(adminRoles.adminId, admin.id));
  const before = new Set(held.map(({ id }) => id));
  if (expectedRoleIds && before.symmetricDifference(new Set(expectedRoleIds)).size > 0)
    throw new Refusal(
      "resource_in_use",
      "Someone else has just changed the roles of this admin. Check them and try again",
    );
  const after = new Set(roleIds);
  const added = [...after.difference(before)];
  const removed = [...before.difference(after)];
  if (added.length > 0 && manager.adminId === admin.id)
    throw new Refusal("not_allowed", "You can't add roles to yourself. Ask another admin");
  const given = await requireGrantableRoles(ctx, manager, added);
  const taken = await findRoles(ctx, removed);
  return {
    added: given.map(({ id }) => id),
    removed,
    names: {
      ...(given.length > 0 && { rolesAdded: given.map(({ name }) => name) }),
      ...(taken.length > 0 && { rolesRemoved: taken.map(({ name }) => name) }),
    },
  };
}

async function writeRoles(ctx: Context, adminId: string, { added, removed }: RoleChange) {
  if (removed.length > 0)
    await ctx.db
      .delete(adminRoles)
      .where(and(eq(adminRoles.adminId, adminId), inArray(adminRoles.roleId, removed)));
  await grantRoles(ctx, adminId, added);
}

const differences = (before: Admin, after: Fields) =>
  Object.fromEntries(
    (Object.keys(after) as (keyof Fields)[]).map((field) => [
      field,
      { from: before[field], to: after[field] },
    ]),
  );

/**
 * Removes an admin from the company: ends their sessions in it, revokes the keys they created and cancels the
 * emails those keys scheduled. Deletes the person too if this was their last company, unless they are an
 * operator.
 *
 * @returns the ids of the revoked keys
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed` for the last owner and for yourself
 */
export async function removeAdmin(ctx: Context, id: string): Promise<string[]> {
  return inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const admin = await lockAdmin(ctx, id);
    requireCanChange(manager, admin);
    if (manager.adminId === id)
      throw new Refusal("not_allowed", "You can't remove yourself. Ask another admin");
    await requireAnotherOwner(ctx, admin);
    const revoked = await revokeAdminKeys(ctx, id);
    await ctx.db.delete(admins).where(eq(admins.id, id));
    await recordAudit(ctx, "admin.removed", {
      adminId: id,
      email: admin.email,
      name: admin.name,
      isOwner: admin.isOwner,
      revokedKeys: revoked.length,
    });
    await deletePersonIfUnused(ctx, admin.email);
    return revoked;
  });
}

/**
 * Locks the person first, to wait for a transaction that is adding them to another company. The delete is a
 * separate statement so that it sees that company.
 */
async function deletePersonIfUnused({ db }: Context, email: string): Promise<void> {
  await db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.email, email))
    .for("update");
  const elsewhere = db
    .select({ one: sql`1` })
    .from(admins)
    .where(eq(admins.email, people.email));
  await db
    .delete(people)
    .where(and(eq(people.email, email), eq(people.isOperator, false), notExists(elsewhere)));
}

/**
 * Suspends an admin's access to the company or restores it. Suspending ends their sessions at once; their
 * keys are rejected meanwhile, and emails those keys scheduled are canceled when they come due. Restoring
 * returns all their privileges, so the caller must hold as many. Does nothing if the access already has that state.
 *
 * @throws Refusal `not_found`, `invalid_permission`, `not_allowed` for the last owner and for yourself
 */
export async function setAdminAccess(ctx: Context, id: string, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTeam(ctx);
    const manager = await requireTeamManager(ctx);
    const admin = await lockAdmin(ctx, id);
    requireCanChange(manager, admin);
    if ((admin.disabledAt === null) === isOn) return;
    if (isOn) await requireCanRestore(ctx, manager, admin);
    else {
      if (manager.adminId === id)
        throw new Refusal("not_allowed", "You can't suspend your own access");
      await requireAnotherOwner(ctx, admin);
      await ctx.db.delete(sessions).where(eq(sessions.userId, id));
    }
    await ctx.db
      .update(admins)
      .set({ disabledAt: isOn ? null : sql`clock_timestamp()` })
      .where(eq(admins.id, id));
    const action = isOn ? "admin.enabled" : "admin.disabled";
    await recordAudit(ctx, action, { adminId: id, email: admin.email });
  });
}

async function requireCanRestore(ctx: Context, manager: TeamManager, admin: Admin): Promise<void> {
  const direct = { privileges: admin.privileges, orgUnitId: null };
  requireCanGrant(manager, direct, "This admin's access");
  const held = await ctx.db
    .select({ roleId: adminRoles.roleId })
    .from(adminRoles)
    .where(eq(adminRoles.adminId, admin.id));
  await requireGrantableRoles(
    ctx,
    manager,
    held.map(({ roleId }) => roleId),
  );
}

/**
 * Loads the roles and checks that `manager` can grant them. Call under `lockTeam`.
 *
 * @param ids or names of ready-made roles, which are created
 * @throws Refusal `invalid` if a role doesn't exist, `not_allowed` if a role has a privilege that the manager
 *   lacks
 */
export async function requireGrantableRoles(
  ctx: Context,
  manager: TeamManager,
  ids: string[],
): Promise<StoredRole[]> {
  const readyMade = READY_MADE_ROLES.filter(({ name }) => ids.includes(name));
  const wanted = new Set(ids.filter((id) => readyMade.every(({ name }) => name !== id)));
  for (const role of readyMade) wanted.add(await ensureReadyMadeRole(ctx, role));
  const found = await findRoles(ctx, [...wanted]);
  if (found.length < wanted.size)
    throw new Refusal("invalid", "roles: one of the roles no longer exists");
  for (const role of found) requireCanGrant(manager, role, `The role ${role.name}`);
  return found;
}

/** Leaves out roles that no longer exist. */
export async function findRoles(ctx: Context, ids: string[]): Promise<StoredRole[]> {
  if (ids.length === 0) return [];
  return ctx.db
    .select()
    .from(roles)
    .where(and(eq(roles.companyId, ctx.companyId), inArray(roles.id, ids)));
}

export async function grantRoles(ctx: Context, adminId: string, ids: string[]): Promise<void> {
  if (ids.length > 0)
    await ctx.db.insert(adminRoles).values(ids.map((roleId) => ({ adminId, roleId })));
}

/**
 * Only owners can change owners.
 *
 * @throws Refusal `invalid_permission`
 */
function requireCanChange(manager: TeamManager, { isOwner }: Pick<Admin, "isOwner">): void {
  if (isOwner && !manager.isOwner)
    throw new Refusal("invalid_permission", "Only an owner can change an owner");
}

/**
 * Ensures that the company still has an owner who can sign in. Call under `lockTeam`, before removing,
 * suspending or demoting an owner.
 *
 * @throws Refusal `not_allowed` for the last owner
 */
async function requireAnotherOwner(ctx: Context, leaving: Admin): Promise<void> {
  if (!leaving.isOwner || leaving.disabledAt !== null) return;
  const others = and(
    eq(admins.companyId, ctx.companyId),
    admins.isOwner,
    isNull(admins.disabledAt),
    ne(admins.id, leaving.id),
  );
  if ((await ctx.db.$count(admins, others)) === 0)
    throw new Refusal(
      "not_allowed",
      "This is the company's last owner. Make another admin an owner first",
    );
}
