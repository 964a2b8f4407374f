import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { PrivilegeSource as Source } from "#server/core/access/admins/explain-privileges.ts";
import type { AssignedRole, ShownAdmin } from "#server/core/access/admins/team.ts";

export const NOT_FOUND = "Admin not found";
export const AdminPath = z.object({ id: z.uuid() });

const Unit = z.object({ id: z.number(), name: z.string() });
const AssignedRole = z.object({ id: z.uuid(), name: z.string(), unit: Unit.nullable() });

export const AdminRow = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  is_owner: z.boolean(),
  is_self: z.boolean().describe("Whether this is the signed-in admin"),
  roles: z.array(AssignedRole),
  direct_privileges: z.array(z.string()).describe("Assigned directly, not through a role"),
  has_second_factor: z.boolean(),
  is_address_confirmed: z.boolean().describe("Whether they confirmed that they own the address"),
  is_disabled: z.boolean(),
  last_seen_at: z.string().nullable(),
  created_at: z.string(),
});

export function adminRow(admin: ShownAdmin, selfId: string): z.input<typeof AdminRow> {
  return {
    id: admin.id,
    email: admin.email,
    name: admin.name,
    is_owner: admin.isOwner,
    is_self: admin.id === selfId,
    roles: admin.roles.map(assignedRole),
    direct_privileges: admin.privileges,
    has_second_factor: admin.hasSecondFactor,
    is_address_confirmed: admin.isAddressConfirmed,
    is_disabled: admin.disabledAt !== null,
    last_seen_at: admin.lastSeenAt && consoleTimestamp(admin.lastSeenAt),
    created_at: consoleTimestamp(admin.createdAt),
  };
}

const assignedRole = ({ id, name, orgUnitId, unitName }: AssignedRole) => ({
  ...{ id, name },
  unit: orgUnitId === null ? null : { id: orgUnitId, name: unitName ?? "" },
});

/** Where a privilege comes from. */
export const PrivilegeSource = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("owner") }),
  z.object({ kind: z.literal("direct") }),
  z.object({ kind: z.literal("role"), role: AssignedRole }),
]);

export function privilegeSource(source: Source): z.input<typeof PrivilegeSource> {
  if (source.kind !== "role") return source;
  const { roleId: id, roleName: name, orgUnitId, unitName } = source;
  return { kind: "role", role: assignedRole({ id, name, orgUnitId, unitName, privileges: [] }) };
}
