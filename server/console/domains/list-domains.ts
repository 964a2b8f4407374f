import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { countDomains, listDomains as list } from "#server/core/domains/domains/domains.ts";
import { listMissingRecords } from "#server/core/domains/domains/verify-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { DomainRow, domainRow } from "./domain-row.ts";

export const listDomains = defineEndpoint({
  method: "GET",
  path: "/console/api/domains",
  summary: "List domains",
  permission: "console",
  privilege: ["api_controls", "domains"],
  query: PageQuery.and(z.object({ sort: sortQuery(["name", "created"], "-created") })),
  response: countedListOf(DomainRow),
  refusals: ["invalid"],
  handle: async ({ ctx, query: { sort, ...request } }) => {
    const page = await list(ctx, request, sort);
    const ids = page.rows.map(({ id }) => id);
    const missing = await listMissingRecords(ctx, ids);
    return countedList(page, await countDomains(ctx, sort, page.rows[0]), (domain) =>
      domainRow(domain, missing.get(domain.id) ?? []),
    );
  },
});
