import { eq, sql } from "drizzle-orm";

import { admins, people } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

export type AssignedRole = {
  id: string;
  name: string;
  privileges: string[];
  orgUnitId: number | null;
  unitName: string | null;
};

/** An admin as shown on the team pages. */
export type ShownAdmin = {
  id: string;
  email: string;
  name: string;
  isOwner: boolean;
  /** Granted directly, not through roles. */
  privileges: string[];
  roles: AssignedRole[];
  disabledAt: string | null;
  createdAt: string;
  hasSecondFactor: boolean;
  /** Whether they have proven that they receive mail at the address. */
  isAddressConfirmed: boolean;
  /** Unexpired sessions in this company, and when one was last used. */
  sessions: number;
  lastSeenAt: string | null;
};

const shownColumns = {
  id: admins.id,
  email: admins.email,
  name: admins.name,
  isOwner: admins.isOwner,
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
  isAddressConfirmed: sql<boolean>`${people.emailProvenAt} is not null`,
  sessions: sql<number>`(select count(*)::int from sessions s
    where s.user_id = ${admins.id} and s.expires_at > clock_timestamp())`,
  lastSeenAt: sql<string | null>`(select max(coalesce(s.last_used_at, s.created_at))
    from sessions s where s.user_id = ${admins.id})`,
};

/** Selects admins for display; the caller adds the `where`. */
export const selectShownAdmins = (ctx: CompanyScope) =>
  ctx.db.select(shownColumns).from(admins).innerJoin(people, eq(people.email, admins.email));
