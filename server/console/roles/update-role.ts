import { z } from "zod";

import { updateRole as update } from "#server/core/access/roles/roles.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, RoleFields, roleInput, RolePath } from "./role-row.ts";

export const updateRole = defineEndpoint({
  method: "PATCH",
  path: "/console/api/roles/{id}",
  summary: "Update a role for everyone who has it",
  permission: "console",
  privilege: "manage_admins",
  params: RolePath,
  notFound: NOT_FOUND,
  body: RoleFields.extend({
    expected: RoleFields.describe("The role as last read; the update fails if it changed since"),
  }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid", "already_exists", "not_allowed", "resource_in_use"],
  async handle({ ctx, params: { id }, body: { expected, ...changes } }) {
    await update(ctx, id, { written: roleInput(changes), expected: roleInput(expected) });
    return { id };
  },
});
