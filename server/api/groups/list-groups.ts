import { z } from "zod";

import { requireVerifiedDomain } from "#server/core/mailboxes/addresses/addresses.ts";
import { listGroups as list } from "#server/core/mailboxes/groups/group-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { GroupObject, groupObject } from "./group-object.ts";

export const listGroups = defineEndpoint({
  method: "GET",
  path: "/groups",
  summary: "List groups",
  description: "Ordered by address; cursors are addresses.",
  permission: "full_access",
  privilege: "view_groups",
  query: PageQuery.and(
    z.object({
      domain: z
        .string({ error: "must appear only once" })
        .optional()
        .describe("Only groups in this domain, which must be verified"),
    }),
  ),
  response: listOf(GroupObject),
  refusals: ["invalid"],
  async handle({ ctx, query: { domain, ...page } }) {
    if (domain !== undefined) await requireVerifiedDomain(ctx, domain, "domain");
    return listObject(await list(ctx, page, { domain }), groupObject);
  },
});
