import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { countGroups, listGroups as list } from "#server/core/mailboxes/groups/group-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { GroupRow, groupRow } from "./group-row.ts";
import { GroupSearchQuery } from "./group-search.ts";

export const listGroups = defineEndpoint({
  method: "GET",
  path: "/console/api/groups",
  summary: "List groups",
  permission: "console",
  privilege: "view_groups",
  query: PageQuery.and(GroupSearchQuery),
  response: countedListOf(GroupRow),
  refusals: ["invalid"],
  async handle({ ctx, query: { search, sort, ...request } }) {
    const page = await list(ctx, request, { search }, sort);
    const counts = await countGroups(ctx, { search }, sort, page.rows[0]?.address);
    return countedList(page, counts, groupRow);
  },
});
