import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { Context } from "#server/core/shared/context.ts";
import { searchSuppressions } from "#server/core/sending/suppressions/search-suppressions.ts";
import { csvDownload } from "#server/http/csv-download.ts";
import { DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SuppressionFilters } from "./suppression-row.ts";

const ROWS_PER_READ = 2_000;

const COLUMNS = ["email", "origin", "source_email_id", "created_at"];

export const exportSuppressions = defineEndpoint({
  method: "GET",
  path: "/console/api/suppressions/export",
  summary: "Export suppressions as CSV",
  permission: "console",
  privilege: "api_controls",
  query: SuppressionFilters,
  response: DownloadSchema,
  refusals: ["invalid"],
  handle: ({ ctx, query: { origin = null, search = null } }) =>
    csvDownload("suppressions.csv", COLUMNS, readPages(ctx, { origin, search })),
});

async function* readPages(ctx: Context, filter: Parameters<typeof searchSuppressions>[2]) {
  let after: string | null = null;
  do {
    const request = { limit: ROWS_PER_READ, after, before: null };
    const { rows, hasMore, searchedTo } = await searchSuppressions(ctx, request, filter);
    yield rows.map((row) => [
      ...[row.email, row.origin, row.sourceId, consoleTimestamp(row.createdAt)],
    ]);
    after = searchedTo?.id ?? (hasMore ? rows.at(-1)!.id : null);
  } while (after !== null);
}
