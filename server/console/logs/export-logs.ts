import { exportPages } from "#server/console/export-pages.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { searchRequests } from "#server/core/access/request-log/request-log.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { LogSearchQuery } from "./log-query.ts";

const COLUMNS = [
  ...["id", "created_at", "method", "path", "status", "error", "api_key_id", "user_agent"],
];

export const exportLogs = defineEndpoint({
  method: "GET",
  path: "/console/api/logs/export",
  summary: "Export API requests as CSV",
  permission: "console",
  privilege: "api_controls",
  query: LogSearchQuery,
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, query: { sort, ...filters } }) {
    const pages = exportPages(
      (page) => searchRequests(ctx, page, filters),
      sort.direction,
      (row) => [
        ...[row.id, consoleTimestamp(row.createdAt), row.method, row.endpoint, row.responseStatus],
        ...[row.error, row.apiKeyId, row.userAgent],
      ],
    );
    return csvDownload("requests.csv", COLUMNS, pages);
  },
});
