import { z } from "zod";

import { countedList, countedListOf } from "#server/console/counted-list.ts";
import { momentQuery } from "#server/console/moment-query.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getKeyNames } from "#server/core/access/api-keys/get-key-names.ts";
import { getNewestRequestId } from "#server/core/access/request-log/get-newest-request-id.ts";
import {
  countRequests,
  type RequestFilters,
  searchRequests,
} from "#server/core/access/request-log/search-requests.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { PageQuery } from "#server/http/pagination.ts";

import { LogRow, logRow } from "./log-row.ts";

const text = z.string().min(1).max(200);
const instant = momentQuery("must be an RFC 3339 timestamp");

const LogFilters = z
  .object({
    status: z
      .string()
      .regex(/^([245]xx|[1-5]\d\d)$/, "must be a status code such as 404, or 2xx, 4xx or 5xx"),
    method: z.enum(["GET", "POST", "PATCH", "DELETE"]),
    endpoint: text.describe("Start of the path"),
    api_key: z.uuid(),
    user_agent: text.describe("Part of the user agent"),
    from: instant,
    to: instant,
  })
  .partial()
  .transform(({ status, api_key: apiKeyId, user_agent: userAgent, ...others }): RequestFilters => ({
    ...withoutUndefined(others),
    ...withoutUndefined({ apiKeyId, userAgent }),
    ...(status?.endsWith("xx") && { statusClass: Number(status[0]) }),
    ...(status && !status.endsWith("xx") && { status: Number(status) }),
  }));

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;

export const listLogs = defineEndpoint({
  method: "GET",
  path: "/console/api/logs",
  summary: "List API requests, newest first",
  permission: "console",
  privilege: "api_controls",
  query: PageQuery.and(LogFilters),
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
  async handle({ ctx, query: { limit, after, before, ...filters } }) {
    const newest = await getNewestRequestId(ctx);
    const page = await searchRequests(ctx, { limit, after, before }, filters);
    const keyNames = await getKeyNames(
      ctx,
      page.rows.flatMap(({ apiKeyId }) => apiKeyId ?? []),
    );
    return {
      ...countedList(page, await countRequests(ctx, filters, page.rows[0]), (row) =>
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
