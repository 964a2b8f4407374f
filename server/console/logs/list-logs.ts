import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getKeyNames } from "#server/core/access/api-keys/key-list.ts";
import {
  countRequests,
  getNewestRequestId,
  searchRequests,
} from "#server/core/access/request-log/request-log.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { LogSearchQuery } from "./log-query.ts";
import { LogRow, logRow } from "./log-row.ts";

export const listLogs = defineEndpoint({
  method: "GET",
  path: "/console/api/logs",
  summary: "List API requests",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(LogSearchQuery),
  response: countedListOf(LogRow).extend({
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
  async handle({
    ctx,
    query: {
      limit,
      after,
      before,
      sort: { direction },
      ...filters
    },
  }) {
    const newest = await getNewestRequestId(ctx);
    const page = await searchRequests(ctx, { limit, after, before, direction }, filters);
    const keyNames = await getKeyNames(
      ctx,
      page.rows.flatMap(({ apiKeyId }) => apiKeyId ?? []),
    );
    return {
      ...countedList(page, await countRequests(ctx, filters, page.rows[0], direction), (row) =>
        logRow(row, keyNames),
      ),
      searched_to: page.searchedTo && {
        id: page.searchedTo.id,
        created_at: consoleTimestamp(page.searchedTo.createdAt),
      },
      newest,
    };
  },
});
