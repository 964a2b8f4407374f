import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { countGroups, listGroups as list } from "#server/core/mailboxes/groups/list-groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

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
  response: countedListOf(GroupRow),
  refusals: ["invalid"],
  async handle({ ctx, query: { search, ...request } }) {
    const page = await list(ctx, request, { search });
    return countedList(page, await countGroups(ctx, { search }, page.rows[0]?.address), groupRow);
  },
});
