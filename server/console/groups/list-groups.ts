import { z } from "zod";

import { listGroups as list } from "#server/core/mailboxes/groups/list-groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { GroupRow, groupRow } from "./group-row.ts";

export const listGroups = defineEndpoint({
  method: "GET",
  path: "/console/api/groups",
  summary: "List groups by address",
  permission: "console",
  privilege: "view_groups",
  query: PageQuery.and(
    z.object({
      search: z
        .string()
        .max(200)
        .optional()
        .describe("Part of the address, name, or a member's address"),
    }),
  ),
  response: listOf(GroupRow),
  refusals: ["invalid"],
  handle: async ({ ctx, query: { search, ...page } }) =>
    listObject(await list(ctx, page, { search }), groupRow),
});
