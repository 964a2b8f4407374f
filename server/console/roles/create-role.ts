import { z } from "zod";

import { createRole as create } from "#server/core/access/roles/roles.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { RoleFields, roleInput } from "./role-row.ts";

export const createRole = defineEndpoint({
  method: "POST",
  path: "/console/api/roles",
  summary: "Create a role",
  permission: "console",
  privilege: "manage_admins",
  body: RoleFields,
  response: z.object({ id: z.uuid() }),
  refusals: ["invalid", "already_exists", "not_allowed"],
  async handle({ ctx, body }) {
    return { id: await create(ctx, roleInput(body)) };
  },
});
