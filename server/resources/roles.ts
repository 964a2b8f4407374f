import { z } from "zod";

import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { READY_MADE_ROLES } from "#server/universal/privileges.ts";
import { grantablePrivileges, missingPrivileges } from "#server/core/access/privileges/grants.ts";
import {
  createRole,
  deleteRole,
  type ListedRole,
  listRoles,
  type RoleInput,
  updateRole,
} from "#server/core/access/roles/roles.ts";
import { listUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";

const RolePath = pathOf("Role not found", { id: z.uuid() });

const RoleFields = z.object({
  name: z.string().max(1000),
  privileges: z.array(z.string()).max(50),
  /** Unit that the role is limited to; null for the whole company. */
  unitId: z.number().int().nullable(),
});

const roleInput = ({ name, privileges, unitId }: z.output<typeof RoleFields>): RoleInput => ({
  name,
  privileges,
  orgUnitId: unitId,
});

function shownRole(
  role: Omit<ListedRole, "companyId" | "createdAt">,
  callerPrivileges: HeldPrivileges,
) {
  const { id, name, privileges, orgUnitId, unitName, holders } = role;
  return {
    id,
    name,
    privileges,
    holders,
    unit: orgUnitId === null ? null : { id: orgUnitId, name: unitName ?? "" },
    lacking: missingPrivileges(callerPrivileges, role),
  };
}

/** Ready-made roles whose names no role has. */
const unusedReadyMadeRoles = (roles: ListedRole[]) =>
  READY_MADE_ROLES.filter(({ name }) =>
    roles.every((role) => role.name.toLowerCase() !== name.toLowerCase()),
  ).map((role) => ({ ...role, id: role.name, orgUnitId: null, unitName: null, holders: [] }));

/** A role to assign: a company's or, by its name, a ready-made one. */
export const RoleIds = z
  .array(z.uuid().or(z.enum(READY_MADE_ROLES.map(({ name }) => name))))
  .max(200);

/** Roles of admins. */
export const rolesConsole = pageEndpoints("console", "roles", {
  list: read({
    privilege: "manage_admins",
    async handle({ ctx, signedIn }) {
      const [roles, units] = [await listRoles(ctx), await listUnits(ctx)];
      return {
        data: roles.map((role) => shownRole(role, signedIn)),
        readyMade: unusedReadyMadeRoles(roles).map((role) => shownRole(role, signedIn)),
        units: units.map(({ id, name, depth }) => ({ id, name, depth })),
        holds: grantablePrivileges(signedIn),
        holdsIn: [...signedIn.units].map(([privilege, ids]) => ({ privilege, unitIds: [...ids] })),
      };
    },
  }),

  create: change({
    privilege: "manage_admins",
    body: RoleFields,
    handle: async ({ ctx, body }) => ({ id: await createRole(ctx, roleInput(body)) }),
  }),

  update: change({
    privilege: "manage_admins",
    params: RolePath,
    body: RoleFields.extend({
      expected: RoleFields,
    }),
    async handle({ ctx, params: { id }, body: { expected, ...changes } }) {
      await updateRole(ctx, id, { written: roleInput(changes), expected: roleInput(expected) });
      return { id };
    },
  }),

  delete: change({
    privilege: "manage_admins",
    params: RolePath,
    async handle({ ctx, params: { id } }) {
      await deleteRole(ctx, id);
      return { id };
    },
  }),
});
