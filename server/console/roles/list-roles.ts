import { z } from "zod";

import { listUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { listRoles as list } from "#server/core/access/roles/roles.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { RoleRow, roleRow } from "./role-row.ts";

export const listRoles = defineEndpoint({
  method: "GET",
  path: "/console/api/roles",
  summary: "List roles by name, with the units and privileges available for a new role",
  permission: "console",
  privilege: "manage_admins",
  response: z.object({
    data: z.array(RoleRow),
    units: z
      .array(z.object({ id: z.number(), name: z.string(), depth: z.number() }))
      .describe("Units that a role can be limited to, each after its parent"),
    holds: z.array(z.string()).describe("Company-wide privileges of the signed-in admin"),
    holds_in: z
      .array(z.object({ privilege: z.string(), unit_ids: z.array(z.number()) }))
      .describe("Privileges that the signed-in admin has in some units only"),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const [roles, units] = [await list(ctx), await listUnits(ctx)];
    return {
      data: roles.map((role) => roleRow(role, signedIn)),
      units: units.map(({ id, name, depth }) => ({ id, name, depth })),
      holds: [...signedIn.privileges],
      holds_in: [...signedIn.units].map(([privilege, ids]) => ({ privilege, unit_ids: [...ids] })),
    };
  },
});
