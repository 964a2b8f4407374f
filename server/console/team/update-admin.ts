import { z } from "zod";

import { updateAdmin as update } from "#server/core/access/admins/admins.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, AdminPath } from "./admin-row.ts";

const RoleIds = z.array(z.uuid()).max(200);

export const updateAdmin = defineEndpoint({
  method: "PATCH",
  path: "/console/api/team/{id}",
  summary: "Update an admin; omitted fields keep their values",
  permission: "console",
  privilege: "manage_admins",
  params: AdminPath,
  notFound: NOT_FOUND,
  body: z.object({
    name: z.string().max(1000).optional(),
    is_owner: z.boolean().optional(),
    expected_is_owner: z
      .boolean()
      .optional()
      .describe("The value as last read; the update fails if it changed since"),
    role_ids: RoleIds.optional(),
    expected_role_ids: RoleIds.optional().describe(
      "The roles as last read; the update fails if they changed since",
    ),
    direct_privileges: z.array(z.string()).max(50).optional().describe("Direct privileges to keep"),
  }),
  bodyLimit: "directory",
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid", "not_allowed", "resource_in_use"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, {
      name: body.name,
      isOwner: body.is_owner,
      expectedIsOwner: body.expected_is_owner,
      roleIds: body.role_ids,
      expectedRoleIds: body.expected_role_ids,
      privileges: body.direct_privileges,
    });
    return { id };
  },
});
