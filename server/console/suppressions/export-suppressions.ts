import { exportPages } from "#server/console/export-pages.ts";
import { sortQuery } from "#server/console/sort-query.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { searchSuppressions } from "#server/core/sending/suppressions/search-suppressions.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SuppressionFilters } from "./suppression-row.ts";

const COLUMNS = ["email", "origin", "source_email_id", "created_at"];

export const exportSuppressions = defineEndpoint({
  method: "GET",
  path: "/console/api/suppressions/export",
  summary: "Export suppressions as CSV",
  permission: "console",
  privilege: "api_controls",
  query: SuppressionFilters.extend({ sort: sortQuery(["created"], "-created") }),
  response: DownloadSchema,
  refusals: ["invalid"],
  handle({ ctx, query: { origin = null, search = null, sort } }) {
    const pages = exportPages(
      (page) => searchSuppressions(ctx, page, { origin, search }),
      sort.direction,
      (row) => [row.email, row.origin, row.sourceId, consoleTimestamp(row.createdAt)],
    );
    return csvDownload("suppressions.csv", COLUMNS, pages);
  },
});
