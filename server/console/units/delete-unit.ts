import { z } from "zod";

import { deleteUnit as remove } from "#server/core/mailboxes/org-units/units.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { UnitPath } from "./unit-path.ts";

export const deleteUnit = defineEndpoint({
  method: "DELETE",
  path: "/console/api/units/{id}",
  summary: "Delete an empty unit and the roles limited to it",
  permission: "console",
  privilege: "manage_settings",
  params: UnitPath,
  response: z.object({ id: z.int() }),
  refusals: ["not_found", "invalid", "resource_in_use"],
  async handle({ ctx, params: { id } }) {
    await remove(ctx, id);
    return { id };
  },
});
