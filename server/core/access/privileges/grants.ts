import { sql, type SQL } from "drizzle-orm";

import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  type AdminGrants,
  canReadEmails,
  effectivePrivileges,
  hasPrivilegeIn,
  type HeldPrivileges,
} from "./privileges.ts";
import {
  type Privilege,
  privilegeLabel,
  PRIVILEGES,
  UNIT_PRIVILEGES,
  type UnitPrivilege,
} from "#server/universal/privileges.ts";

/** What a role grants: privileges in a unit and its descendants, or in the whole company. */
export type Grant = { privileges: readonly string[]; orgUnitId: number | null };

const isUnitPrivilege = (text: string): text is UnitPrivilege =>
  (UNIT_PRIVILEGES as readonly string[]).includes(text);

/** Leaves out unknown privileges and, for a role limited to a unit, those that aren't about mailboxes. */
export const grantedPrivileges = ({ privileges, orgUnitId }: Grant): Privilege[] =>
  PRIVILEGES.filter(
    (name) => privileges.includes(name) && (orgUnitId === null || isUnitPrivilege(name)),
  );

/** The granted privileges that the grantor lacks in that unit or company. */
export const missingPrivileges = (held: HeldPrivileges, given: Grant): Privilege[] =>
  grantedPrivileges(given).filter((name) => {
    const { orgUnitId } = given;
    // Admins with API controls can already read what View emails opens.
    if (name === "view_emails") return !canReadEmails(held);
    if (orgUnitId === null || !isUnitPrivilege(name)) return !held.privileges.has(name);
    return !hasPrivilegeIn(held, name, orgUnitId);
  });

/** The privileges that the grantor can grant for the whole company. */
export const grantablePrivileges = (held: HeldPrivileges): Privilege[] =>
  PRIVILEGES.filter(
    (name) => missingPrivileges(held, { privileges: [name], orgUnitId: null }).length === 0,
  );

/**
 * An admin can grant only the privileges they hold.
 *
 * @param what subject of the error message, such as "The role Helpdesk"
 * @throws Refusal `not_allowed`
 */
export function requireCanGrant(held: HeldPrivileges, given: Grant, what: string): void {
  const lacking = missingPrivileges(held, given);
  if (lacking.length === 0) return;
  const names = lacking.map(privilegeLabel).join(", ");
  const where = given.orgUnitId === null ? "" : " in that unit";
  throw new Refusal("not_allowed", `${what} includes ${names}, which you don't have${where}`);
}

/**
 * Keeps admins from gaining privileges on mailboxes by moving them to a unit where they hold more.
 *
 * @param from the units where the mailboxes are
 * @param to the unit that they would be in, or below
 * @throws Refusal `invalid_permission`
 */
export function requireNoPrivilegeEscalation(
  callerPrivileges: HeldPrivileges,
  from: Iterable<number>,
  to: number,
): void {
  const units = [...from];
  const gained = UNIT_PRIVILEGES.filter(
    (name) =>
      hasPrivilegeIn(callerPrivileges, name, to) &&
      !units.every((unit) => hasPrivilegeIn(callerPrivileges, name, unit)),
  );
  if (gained.length === 0) return;
  throw new Refusal(
    "invalid_permission",
    `In the new unit you would have ${gained.map(privilegeLabel).join(", ")}, which you don't have in the current one. Ask another admin`,
  );
}

/** What someone who signs in with an address is, or will be, in one company. */
type Standing = {
  email: string;
  /** Null for an operator. */
  companyId: string | null;
  isOwner: boolean;
  grants: Grant[];
  /** They have received mail at the address. False for invitations. */
  isConfirmed: boolean;
};

/**
 * Finds a sign-in address whose privileges the caller doesn't all hold: as an admin of any company, also a suspended one, as
 * an operator, or through an open invitation. Owners are covered by owners, and everyone by operators. Null if there is
 * none, and for callers at the server's command line.
 *
 * What another company grants to an address that isn't confirmed is covered by owners of the caller's company: any company
 * can invite any address, and must not lock others out of their mailboxes with that.
 *
 * @param emails lowercase
 */
export async function findUncovered(ctx: Context, emails: string[]): Promise<string | null> {
  const { kind } = ctx.actor;
  if (kind === "system" || kind === "operator") return null;
  const standings = await readStandings(ctx, emails);
  if (standings.length === 0) return null;
  const held = await readCaller(ctx);
  if (held.isOperator) return null;
  return standings.find((standing) => !covers(ctx, held, standing))?.email ?? null;
}

/** Whether an address has privileges that the company's owners don't hold: an operator's, or in another company. */
export async function hasMoreThanOwners(ctx: CompanyScope, emails: string[]): Promise<boolean> {
  const byCompany = new Map([[ctx.companyId, OWNER]]);
  const standings = await readStandings(ctx, emails);
  return !standings.every((standing) => covers(ctx, { byCompany }, standing));
}

const OWNER = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });

type Caller = { isOperator: boolean; byCompany: ReadonlyMap<string, HeldPrivileges> };

function covers(
  ctx: CompanyScope,
  { byCompany }: Pick<Caller, "byCompany">,
  { companyId, isOwner, grants, isConfirmed }: Standing,
): boolean {
  if (companyId !== ctx.companyId && !isConfirmed)
    return byCompany.get(ctx.companyId)?.privileges.has("owner") ?? false;
  const held = companyId === null ? undefined : byCompany.get(companyId);
  if (!held) return false;
  if (isOwner) return held.privileges.has("owner");
  return grants.every((grant) => missingPrivileges(held, grant).length === 0);
}

async function readStandings(
  { db }: Pick<CompanyScope, "db">,
  emails: string[],
): Promise<Standing[]> {
  if (emails.length === 0) return [];
  const asGrants = sql`coalesce(jsonb_agg(
    jsonb_build_object('privileges', r.privileges, 'orgUnitId', r.org_unit_id)), '[]')`;
  return db.execute<Standing>(sql`
    with named as (select jsonb_array_elements_text(${JSON.stringify(emails)}::jsonb) as email)
    select p.email, null::uuid as "companyId", false as "isOwner", '[]'::jsonb as grants,
      true as "isConfirmed"
    from people p join named on named.email = p.email where p.is_operator
    union all
    select a.email, a.company_id, a.is_owner,
      jsonb_build_array(jsonb_build_object('privileges', a.privileges, 'orgUnitId', null)) ||
        (select ${asGrants} from admin_roles held join roles r on r.id = held.role_id
          where held.admin_id = a.id),
      p.email_proven_at is not null
    from admins a join named on named.email = a.email join people p on p.email = a.email
    union all
    select i.email, i.company_id, i.is_owner,
      (select ${asGrants} from roles r where r.id = any(i.role_ids) and r.company_id = i.company_id),
      false
    from invitations i join named on named.email = i.email
    where i.expires_at > statement_timestamp()`);
}

/** The caller's current privileges in the company; null for an admin who was removed or disabled. */
export const readCallerPrivileges = async (ctx: Context): Promise<HeldPrivileges | null> =>
  (await readCaller(ctx)).byCompany.get(ctx.companyId) ?? null;

type CallerRow = AdminGrants & { companyId: string; isOperator: boolean };

/**
 * The caller's current privileges. An identity provider can sign in as any admin of its company, and the company's owners can
 * give any of its keys full access, so a session that a provider started, and API keys, grant privileges only in their own company.
 */
async function readCaller({ db, actor }: Context): Promise<Caller> {
  if (actor.kind !== "admin" && actor.kind !== "api_key")
    return { isOperator: false, byCompany: new Map() };
  const isConfined = sql`${actor.kind === "api_key" || (actor.isConfined ?? false)}::boolean`;
  const rows = await db.execute<CallerRow>(sql`
    select a.company_id as "companyId", a.is_owner as "isOwner", a.privileges,
      ${adminRolesSql(sql`a.id`)} as roles, p.is_operator and not ${isConfined} as "isOperator"
    from admins own join admins a on a.email = own.email join people p on p.email = a.email
    where own.id = ${actor.adminId} and own.disabled_at is null and a.disabled_at is null
      and (a.id = own.id or not ${isConfined})`);
  return {
    isOperator: rows.some(({ isOperator }) => isOperator),
    byCompany: new Map(rows.map((row) => [row.companyId, effectivePrivileges(row)])),
  };
}

/**
 * SQL for an admin's roles as a JSON list of `RoleGrant`, for use in the statement that reads the admin, so
 * that both come from one snapshot.
 *
 * @param adminId column of the outer statement
 */
export const adminRolesSql = (adminId: SQL): SQL => sql`
  coalesce((
    select json_agg(json_build_object('privileges', r.privileges, 'units',
      case when r.org_unit_id is not null then coalesce((
        with recursive below as (
          select u.id from org_units u where u.id = r.org_unit_id and u.company_id = r.company_id
          union
          select u.id from org_units u join below on u.parent_id = below.id
        )
        select json_agg(below.id) from below), '[]'::json) end))
    from admin_roles held join roles r on r.id = held.role_id
      join admins holder on holder.id = held.admin_id and holder.company_id = r.company_id
    where held.admin_id = ${adminId}), '[]'::json)`;
