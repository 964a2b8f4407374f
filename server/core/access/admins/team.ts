import { and, asc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";

import { admins, type ApiKey, apiKeys, people } from "#drizzle/schema/index.ts";
import { adminRolesSql } from "#server/core/access/privileges/grants.ts";
import {
  effectivePrivileges,
  type HeldPrivileges,
  type RoleGrant,
} from "#server/core/access/privileges/privileges.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import {
  containsPattern,
  type CountedPage,
  type PageRequest,
  pageSorted,
  readInParts,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

export type TeamSort = Sort<"email" | "name" | "seen">;

const orderOf = sortOrders({
  email: admins.email,
  name: sql`lower(${admins.name})`,
  seen: sql`coalesce((select max(coalesce(s.last_used_at, s.created_at))
    from sessions s where s.user_id = admins.id), '-infinity')`,
});

/**
 * A page of the company's admins.
 *
 * @param search part of the address or name, case-insensitive; null for all
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listTeam(
  ctx: Context,
  page: PageRequest,
  search: string | null,
  sort: TeamSort,
): Promise<CountedPage<ShownAdmin>> {
  const list = pageSorted(ctx.db, admins, orderOf(sort), { inList: inList(ctx, search) }, page);
  return list.read(selectShownAdmins(ctx));
}

/** Reads all admins of a search in parts (`readInParts`), in the order of the beginning. */
export async function* readWholeTeam(
  ctx: Context,
  search: string | null,
  sort: TeamSort,
  rowsPerRead?: number,
): AsyncGenerator<ShownAdmin[]> {
  const all = inList(ctx, search);
  const start = { limit: 1, after: null, before: null };
  const { orderBy } = pageSorted(ctx.db, admins, orderOf(sort), { inList: all }, start);
  const listed = await ctx.db
    .select({ id: admins.id })
    .from(admins)
    .where(all)
    .orderBy(...orderBy);
  yield* readInParts(
    listed.map(({ id }) => id),
    (part) => selectShownAdmins(ctx).where(and(all, inArray(admins.id, part))),
    ({ id }) => id,
    rowsPerRead,
  );
}

const inList = (ctx: Context, search: string | null) =>
  and(eq(admins.companyId, ctx.companyId), matchesSearch(search))!;

function matchesSearch(search: string | null): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${admins.email} like ${pattern} or lower(${admins.name}) like ${pattern})`;
}

export type AssignedRole = {
  id: string;
  name: string;
  privileges: string[];
  orgUnitId: number | null;
  unitName: string | null;
};

/** An admin as shown on the team pages. */
export type ShownAdmin = Awaited<ReturnType<typeof selectShownAdmins>>[number];

const shownColumns = {
  id: admins.id,
  email: admins.email,
  name: admins.name,
  isOwner: admins.isOwner,
  /** Granted directly, not through roles. */
  privileges: admins.privileges,
  disabledAt: admins.disabledAt,
  createdAt: admins.createdAt,
  roles: sql<AssignedRole[]>`coalesce((
    select json_agg(json_build_object('id', r.id, 'name', r.name, 'privileges', r.privileges,
      'orgUnitId', r.org_unit_id, 'unitName', u.name) order by lower(r.name))
    from admin_roles held join roles r on r.id = held.role_id
      left join org_units u on u.id = r.org_unit_id
    where held.admin_id = ${admins.id} and r.company_id = ${admins.companyId}), '[]'::json)`,
  hasSecondFactor: sql<boolean>`(${people.totpSecret} is not null
    or exists(select from passkeys p where p.email = ${people.email}))`,
  /** Whether they have proven that they receive mail at the address. */
  isAddressConfirmed: sql<boolean>`${people.emailProvenAt} is not null`,
  /** Unexpired sessions in this company, and when one was last used. */
  sessions: sql<number>`(select count(*)::int from sessions s
    where s.user_id = ${admins.id} and s.expires_at > clock_timestamp())`,
  lastSeenAt: sql<string | null>`(select max(coalesce(s.last_used_at, s.created_at))
    from sessions s where s.user_id = ${admins.id})`,
};

/** Selects admins for display; the caller adds the `where`. */
export const selectShownAdmins = (ctx: CompanyScope) =>
  ctx.db.select(shownColumns).from(admins).innerJoin(people, eq(people.email, admins.email));

/** An active key with the number of scheduled emails that revoking it would cancel. */
export type AdminKey = Pick<
  ApiKey,
  "id" | "name" | "prefix" | "permission" | "createdAt" | "lastUsedAt"
> & { scheduledEmails: number };

/** Lists the active keys an admin created, oldest first: those that removing the admin would revoke. */
export const listAdminKeys = (ctx: Context, adminId: string): Promise<AdminKey[]> =>
  ctx.db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      permission: apiKeys.permission,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      scheduledEmails: sql<number>`(select count(*)::int from emails e
        where e.api_key_id = ${apiKeys.id} and e.due_at is not null)`,
    })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.creatorId, adminId),
        eq(apiKeys.companyId, ctx.companyId),
        isNull(apiKeys.revokedAt),
      ),
    )
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));

/** An admin or operator who manages the team, with their current privileges. */
export type TeamManager = HeldPrivileges & {
  /** Null for operators and the system, which aren't admins of the company. */
  adminId: string | null;
  isOwner: boolean;
};

const ALL_PRIVILEGES: TeamManager = {
  ...effectivePrivileges({ isOwner: true, privileges: [], roles: [] }),
  adminId: null,
  isOwner: true,
};

/**
 * Reads the caller's privileges again under `lockTeam`, so that a privilege revoked a moment ago can't be
 * granted. Operators can do everything.
 *
 * @throws Refusal `invalid_permission` if the caller can't manage admins
 */
export async function requireTeamManager(ctx: Context): Promise<TeamManager> {
  if (ctx.actor.kind === "operator" || ctx.actor.kind === "system") return ALL_PRIVILEGES;
  const manager =
    ctx.actor.kind === "admin" ? await readManager(ctx, eq(admins.id, ctx.actor.adminId)) : null;
  if (manager) return manager;
  throw new Refusal("invalid_permission", "You can no longer manage admins");
}

/** Finds the inviter of a pending invitation; null if they can no longer manage admins. */
export async function findTeamManager(
  ctx: Context,
  { email, kind }: { email: string; kind: "admin" | "operator" },
): Promise<TeamManager | null> {
  if (kind === "admin") return readManager(ctx, eq(admins.email, email));
  const runs = and(eq(people.email, email), people.isOperator);
  return (await ctx.db.$count(people, runs)) > 0 ? ALL_PRIVILEGES : null;
}

async function readManager(ctx: Context, who: SQL): Promise<TeamManager | null> {
  const [admin] = await ctx.db
    .select({
      id: admins.id,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
    })
    .from(admins)
    .where(and(who, eq(admins.companyId, ctx.companyId), isNull(admins.disabledAt)));
  if (!admin) return null;
  const held = effectivePrivileges(admin);
  if (!held.privileges.has("manage_admins")) return null;
  return { ...held, adminId: admin.id, isOwner: admin.isOwner };
}
