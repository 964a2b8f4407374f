import { z } from "zod";

import { viewUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listUnits = defineEndpoint({
  method: "GET",
  path: "/console/api/units",
  summary: "List the units the admin has access to",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  response: z.object({
    may_change: z.boolean(),
    data: z
      .array(
        z.object({
          id: z.int(),
          name: z.string(),
          parent_id: z
            .int()
            .nullable()
            .describe("Null for the topmost units the admin has access to"),
          is_root: z.boolean(),
          mailboxes: z.int(),
          mailboxes_below: z.int().describe("Mailboxes in this unit and its subunits"),
        }),
      )
      .describe("Parents before children, siblings by name"),
  }),
  refusals: [],
  async handle({ ctx, signedIn }) {
    const units = await viewUnits(ctx, signedIn);
    return {
      may_change: signedIn.privileges.has("manage_settings"),
      data: units.map((unit) => ({
        ...{ id: unit.id, name: unit.name, parent_id: unit.shownUnder },
        ...{ is_root: unit.parentId === null, mailboxes: unit.mailboxes },
        mailboxes_below: unit.mailboxesBelow,
      })),
    };
  },
});
