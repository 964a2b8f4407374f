import { type SQL, sql } from "drizzle-orm";

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
