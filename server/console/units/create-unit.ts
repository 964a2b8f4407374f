import { z } from "zod";

import { createUnit as create } from "#server/core/mailboxes/org-units/units.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const createUnit = defineEndpoint({
  method: "POST",
  path: "/console/api/units",
  summary: "Create a unit",
  permission: "console",
  privilege: "manage_settings",
  bodyLimit: "directory",
  body: z.object({ name: z.string(), parent_id: z.int() }),
  response: z.object({ id: z.int() }),
  refusals: ["missing_required_field", "invalid", "already_exists", "not_allowed"],
  handle: async ({ ctx, body }) => ({
    id: await create(ctx, { name: body.name, parentId: body.parent_id }),
  }),
});
