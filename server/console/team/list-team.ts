import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { countTeam, listTeam as list } from "#server/core/access/admins/team.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { AdminRow, adminRow } from "./admin-row.ts";
import { TeamSearchQuery } from "./team-search.ts";

export const listTeam = defineEndpoint({
  method: "GET",
  path: "/console/api/team",
  summary: "List the company's admins",
  permission: "console",
  privilege: "manage_admins",
  query: PageQuery.and(TeamSearchQuery),
  response: countedListOf(AdminRow),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query: { search: text, sort, ...request } }) {
    const search = text || null;
    const page = await list(ctx, request, search, sort);
    const counts = await countTeam(ctx, search, sort, page.rows[0]);
    return countedList(page, counts, (admin) => adminRow(admin, signedIn.id));
  },
});
