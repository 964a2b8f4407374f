import { z } from "zod";

import { viewUnits } from "#server/core/mailboxes/org-units/view-units.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listUnits = defineEndpoint({
  method: "GET",
  path: "/console/api/units",
  summary: "Read the tree of units, as far as the person may look into them",
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
          parent_id: z.int().nullable().describe("Null at the top of what may be seen"),
          is_root: z.boolean(),
          mailboxes: z.int(),
          mailboxes_below: z.int().describe("In it and in all units below"),
        }),
      )
      .describe("Each behind the one it is under, those beside each other by name"),
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
