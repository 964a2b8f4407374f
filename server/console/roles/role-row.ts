import { z } from "zod";

import { missingPrivileges } from "#server/core/access/privileges/grants.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import type { ListedRole, RoleInput } from "#server/core/access/roles/roles.ts";

export const NOT_FOUND = "Role not found";
export const RolePath = z.object({ id: z.uuid() });

export const RoleFields = z.object({
  name: z.string().max(1000),
  privileges: z.array(z.string()).max(50),
  unit_id: z
    .number()
    .int()
    .nullable()
    .describe("Unit that the role is limited to; null for the whole company"),
});

export const roleInput = ({
  name,
  privileges,
  unit_id,
}: z.output<typeof RoleFields>): RoleInput => ({
  ...{ name, privileges },
  orgUnitId: unit_id,
});

export const RoleRow = z.object({
  id: z.uuid(),
  name: z.string(),
  privileges: z.array(z.string()),
  unit: z.object({ id: z.number(), name: z.string() }).nullable(),
  holders: z.array(z.object({ id: z.uuid(), email: z.string(), name: z.string() })),
  lacking: z
    .array(z.string())
    .describe("Privileges of the role that the signed-in admin lacks, and so can't assign"),
});

export function roleRow(
  role: ListedRole,
  callerPrivileges: HeldPrivileges,
): z.input<typeof RoleRow> {
  const { id, name, privileges, orgUnitId, unitName, holders } = role;
  return {
    ...{ id, name, privileges, holders },
    unit: orgUnitId === null ? null : { id: orgUnitId, name: unitName ?? "" },
    lacking: missingPrivileges(callerPrivileges, role),
  };
}
