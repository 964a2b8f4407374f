import { z } from "zod";

import { removeAdmin as remove } from "#server/core/access/admins/admins.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, AdminPath } from "./admin-row.ts";

export const removeAdmin = defineEndpoint({
  method: "DELETE",
  path: "/console/api/team/{id}",
  summary: "Remove an admin from the company and revoke their API keys",
  permission: "console",
  privilege: "manage_admins",
  params: AdminPath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.uuid(), revoked_keys: z.number() }),
  refusals: ["not_found", "not_allowed"],
  async handle({ ctx, params: { id } }) {
    return { id, revoked_keys: (await remove(ctx, id)).length };
  },
});
