import { index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

import { createdAt, id } from "./columns.ts";
import { admins, companies } from "./companies.ts";
import { orgUnits } from "./org-units.ts";

/** A set of privileges assigned to admins together, in addition to `admins.privileges`. */
export const roles = pgTable(
  "roles",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    name: text().notNull(),
    privileges: text().array().notNull().default([]),
    /**
     * Limits the role to this unit and those below; null for the whole company. A limited role only grants
     * the privileges about mailboxes (UNIT_PRIVILEGES in server/core/access/privileges).
     */
    orgUnitId: integer().references(() => orgUnits.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [index("roles_company_idx").on(t.companyId, t.name)],
);

export const adminRoles = pgTable(
  "admin_roles",
  {
    adminId: uuid()
      .notNull()
      .references(() => admins.id, { onDelete: "cascade" }),
    roleId: uuid()
      .notNull()
      .references(() => roles.id, { onDelete: "cascade" }),
  },
  (t) => [primaryKey({ name: "admin_roles_pkey", columns: [t.adminId, t.roleId] })],
);
