import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getKeyNames } from "#server/core/access/api-keys/get-key-names.ts";
import { getNewestRequestId } from "#server/core/access/request-log/get-newest-request-id.ts";
import { searchRequests } from "#server/core/access/request-log/search-requests.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { LogFilters } from "./log-filters.ts";
import { LogRow, logRow } from "./log-row.ts";

export const listLogs = defineEndpoint({
  method: "GET",
  path: "/console/api/logs",
  summary: "List API requests, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(LogFilters),
  response: listOf(LogRow).extend({
    searched_to: z
      .object({ id: z.uuid(), created_at: z.string() })
      .nullable()
      .describe("Where the search ran out of time; continue with `after`. Null if it is complete"),
    newest: z
      .uuid()
      .nullable()
      .describe(
        "The newest request; pass it as `before` to list only newer ones. Null if there are none",
      ),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { limit, after, before, ...filters } }) {
    const newest = await getNewestRequestId(ctx);
    const page = await searchRequests(ctx, { limit, after, before }, filters);
    const keyNames = await getKeyNames(
      ctx,
      page.rows.flatMap(({ apiKeyId }) => apiKeyId ?? []),
    );
    return {
      ...listObject(page, (row) => logRow(row, keyNames)),
      searched_to: page.searchedTo && {
        id: page.searchedTo.id,
        created_at: consoleTimestamp(page.searchedTo.createdAt),
      },
      newest,
    };
  },
});
