import { z } from "zod";

import type { RequestLogEntry } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

/** A request to the API, as lists show it. */
export const LogEntry = z
  .object({
    id: z.uuid().describe("Id of the entry; serves as cursor"),
    created_at: z.string().describe("When the request was answered"),
    endpoint: z.string().describe("The path that was called, without its query"),
    method: z.string().describe("HTTP method"),
    response_status: z.int().describe("HTTP status of the answer"),
    user_agent: z
      .string()
      .nullable()
      .describe("What the client calls itself, up to 300 characters; null if it did not say"),
  })
  .meta({ id: "LogEntry" });

export const LogObject = z
  .object({
    object: z.literal("log").describe("What kind of object this is"),
    ...LogEntry.shape,
    error: z
      .string()
      .nullable()
      .describe("Name of the error, for a status of 400 or more; else null"),
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
