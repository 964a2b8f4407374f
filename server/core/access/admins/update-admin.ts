import { and, eq, inArray } from "drizzle-orm";

import { type Admin, adminRoles, admins } from "#drizzle/schema/index.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { lockKnownPerson, requireConfirmed } from "#server/core/access/people/known-person.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { readAdminName } from "./admin-name.ts";
import { lockAdmin } from "./get-admin.ts";
import { grantRoles, readRoles, requireGrantableRoles } from "./grant-roles.ts";
import { requireAnotherOwner, requireCanChange } from "./internal/last-owner.ts";
import { lockTeam } from "./lock-team.ts";
import { requireTeamManager, type TeamManager } from "./team-manager.ts";

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
    if (fields.isOwner || given.added.length > 0)
      await notifyAdmins(ctx, {
        ...{ kind: "sign_in_mail_shared", email: admin.email, event: "promoted" },
      });
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
  const taken = await readRoles(ctx, removed);
  return {
    ...{ added, removed },
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
