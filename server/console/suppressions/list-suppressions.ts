import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import {
  countSuppressions,
  searchSuppressions,
  subjectsOfSources,
} from "#server/core/sending/suppressions/search-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { SuppressionFilters, SuppressionRow, suppressionRow } from "./suppression-row.ts";

export const listSuppressions = defineEndpoint({
  method: "GET",
  path: "/console/api/suppressions",
  summary: "List suppressed addresses",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(SuppressionFilters.extend({ sort: sortQuery(["created"], "-created") })),
  response: countedListOf(SuppressionRow).extend({
    searched_to: z
      .object({ id: z.uuid(), created_at: z.string() })
      .nullable()
      .describe("Where the search ran out of time; continue with `after`. Null if it is complete"),
  }),
  refusals: ["invalid"],
  async handle({
    ctx,
    query: {
      origin = null,
      search = null,
      sort: { direction },
      ...request
    },
  }) {
    const filters = { origin, search };
    const page = await searchSuppressions(ctx, { ...request, direction }, filters);
    const subjects = await subjectsOfSources(ctx, page.rows);
    return {
      ...countedList(page, await countSuppressions(ctx, filters, page.rows[0], direction), (row) =>
        suppressionRow(row, subjects),
      ),
      searched_to: page.searchedTo && {
        id: page.searchedTo.id,
        created_at: consoleTimestamp(page.searchedTo.createdAt),
      },
    };
  },
});
