import { listRequests } from "#server/core/access/request-log/request-log.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { LogEntry, logEntry } from "./log-object.ts";

export const listLogs = defineEndpoint({
  method: "GET",
  path: "/logs",
  summary: "List API requests",
  description:
    "Newest first. Requests with a valid API key are logged for 30 days, without bodies and query strings.",
  permission: "full_access",
  privilege: "api_controls",
  query: PageQuery,
  response: listOf(LogEntry),
  refusals: ["invalid"],
  handle: async ({ ctx, query }) => listObject(await listRequests(ctx, query), logEntry),
});
