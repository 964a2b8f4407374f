import { z } from "zod";

import { listGroups as list } from "#server/core/groups/list-groups.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { GroupObject, groupObject } from "./group-object.ts";

export const listGroups = defineEndpoint({
  method: "GET",
  path: "/groups",
  summary: "List groups by address",
  description: "Cursors are addresses of groups.",
  permission: "full_access",
  privilege: "view_groups",
  query: PageQuery.and(
    z.object({
      domain: z
        .string({ error: "must be given once" })
        .optional()
        .describe("Only groups at this domain of the company, whose ownership is proven"),
    }),
  ),
  response: listOf(GroupObject),
  refusals: ["invalid"],
  handle: async ({ ctx, query: { domain, ...page } }) =>
    listObject(await list(ctx, page, { domain }), groupObject),
});
