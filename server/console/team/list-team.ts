import { z } from "zod";

import { listTeam as list } from "#server/core/access/admins/list-team.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { AdminRow, adminRow } from "./admin-row.ts";

export const listTeam = defineEndpoint({
  method: "GET",
  path: "/console/api/team",
  summary: "List the company's admins by email address",
  permission: "console",
  privilege: "manage_admins",
  query: PageQuery.and(
    z.object({
      search: z.string().max(200).optional().describe("Part of the address or the name"),
    }),
  ),
  response: listOf(AdminRow),
  refusals: ["invalid"],
  async handle({ ctx, signedIn, query: { search, ...page } }) {
    const admins = await list(ctx, page, search || null);
    return listObject(admins, (admin) => adminRow(admin, signedIn.id));
  },
});
