import { z } from "zod";

import { deleteRole as remove } from "#server/core/access/roles/roles.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, RolePath } from "./role-row.ts";

export const deleteRole = defineEndpoint({
  method: "DELETE",
  path: "/console/api/roles/{id}",
  summary: "Delete a role. Admins who have it lose its privileges",
  permission: "console",
  privilege: "manage_admins",
  params: RolePath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    await remove(ctx, id);
    return { id };
  },
});
