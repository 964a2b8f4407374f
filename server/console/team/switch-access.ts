import { z } from "zod";

import { setAdminAccess as change } from "#server/core/access/admins/admins.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, AdminPath } from "./admin-row.ts";

export const switchAccess = defineEndpoint({
  method: "POST",
  path: "/console/api/team/{id}/access",
  summary: "Turn an admin's access to the company on or off",
  permission: "console",
  privilege: "manage_admins",
  params: AdminPath,
  notFound: NOT_FOUND,
  body: z.object({ on: z.boolean() }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "not_allowed", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await change(ctx, id, body.on);
    return { id };
  },
});
