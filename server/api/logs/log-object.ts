import { z } from "zod";

import type { RequestLogEntry } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

export const LogEntry = z
  .object({
    id: z.uuid().describe("The entry's ID; also the pagination cursor"),
    created_at: z.string().describe("When the request was answered"),
    endpoint: z.string().describe("Requested path, without the query string"),
    method: z.string().describe("HTTP method"),
    response_status: z.int().describe("HTTP status of the response"),
    user_agent: z
      .string()
      .nullable()
      .describe("The client's user agent, up to 300 characters; null if none was sent"),
  })
  .meta({ id: "LogEntry" });

export const LogObject = z
  .object({
    object: z.literal("log").describe("Object type"),
    ...LogEntry.shape,
    error: z.string().nullable().describe("Error name for a status of 400 or more, otherwise null"),
  })
  .meta({ id: "Log" });

export function logEntry(row: RequestLogEntry): z.input<typeof LogEntry> {
  return {
    id: row.id,
    created_at: apiTimestamp(row.createdAt),
    endpoint: row.endpoint,
    method: row.method,
    response_status: row.responseStatus,
    user_agent: row.userAgent,
  };
}

export function logObject(row: RequestLogEntry): z.input<typeof LogObject> {
  return { object: "log", ...logEntry(row), error: row.error };
}
