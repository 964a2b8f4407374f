import { z } from "zod";

import type { RequestLogEntry } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";

export const LogRow = z.object({
  id: z.uuid(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  error: z.string().nullable().describe("The error's name"),
  user_agent: z.string().nullable(),
  api_key: z
    .object({ id: z.uuid(), name: z.string().nullable().describe("Null if the key was deleted") })
    .nullable()
    .describe("Null for old entries that were logged without a key"),
  created_at: z.string(),
});

export const logRow = (
  row: RequestLogEntry,
  keyNames: Map<string, string>,
): z.input<typeof LogRow> => ({
  id: row.id,
  method: row.method,
  path: row.endpoint,
  status: row.responseStatus,
  error: row.error,
  user_agent: row.userAgent,
  api_key: row.apiKeyId ? { id: row.apiKeyId, name: keyNames.get(row.apiKeyId) ?? null } : null,
  created_at: consoleTimestamp(row.createdAt),
});
