import { z } from "zod";

import type { Suppression } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { SUPPRESSION_ORIGINS } from "#server/core/sending/suppressions/find-suppressed.ts";

const Origin = z.enum(SUPPRESSION_ORIGINS);

export const SuppressionRow = z.object({
  id: z.uuid(),
  email: z.string(),
  origin: Origin,
  source: z
    .object({
      id: z.uuid(),
      subject: z.string().nullable().describe("Null if the email was deleted"),
    })
    .nullable()
    .describe("The email that bounced, was marked as spam or was unsubscribed from"),
  created_at: z.string(),
});

export const suppressionRow = (
  row: Suppression,
  subjects: Map<string, string>,
): z.input<typeof SuppressionRow> => ({
  id: row.id,
  email: row.email,
  origin: row.origin,
  source:
    row.sourceId === null
      ? null
      : { id: row.sourceId, subject: subjects.get(row.sourceId) ?? null },
  created_at: consoleTimestamp(row.createdAt),
});

export const SuppressionFilters = z.object({
  origin: Origin.optional(),
  search: z.string().min(1).max(320).optional().describe("Part of an address"),
});
