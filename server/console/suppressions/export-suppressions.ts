import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { searchSuppressions } from "#server/core/sending/suppressions/search-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Origin, SuppressionFilters } from "./suppression-row.ts";

const ROWS_MAX = 5_000;

export const exportSuppressions = defineEndpoint({
  method: "GET",
  path: "/console/api/suppressions/export",
  summary: "Export suppressions in batches",
  permission: "console",
  privilege: "api_controls",
  query: SuppressionFilters.extend({ after: z.uuid().optional() }),
  response: z.object({
    rows: z.array(
      z.object({
        email: z.string(),
        origin: Origin,
        source_id: z.uuid().nullable(),
        created_at: z.string(),
      }),
    ),
    next: z
      .uuid()
      .nullable()
      .describe("Pass as `after` to get the next batch; null after the last one"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, query: { origin = null, search = null, after = null } }) {
    const request = { limit: ROWS_MAX, after, before: null };
    const page = await searchSuppressions(ctx, request, { origin, search });
    return {
      rows: page.rows.map((row) => ({
        email: row.email,
        origin: row.origin,
        source_id: row.sourceId,
        created_at: consoleTimestamp(row.createdAt),
      })),
      next: page.searchedTo?.id ?? (page.hasMore ? page.rows.at(-1)!.id : null),
    };
  },
});
