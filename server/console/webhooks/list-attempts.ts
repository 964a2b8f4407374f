import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { listAttempts as list } from "#server/core/webhooks/attempts/attempts.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EventPath } from "./event-row.ts";
import { NOT_FOUND } from "./webhook-row.ts";

const AttemptRow = z.object({
  id: z.string(),
  number: z.number().describe("Starts at 1"),
  http_status: z.number().nullable().describe("Null if there was no response"),
  response: z
    .string()
    .describe("The start of the response body, with secrets from the URL removed"),
  error: z.string().nullable().describe("Null on success"),
  explanation: z.string().nullable().describe("A plain-language explanation of the error"),
  duration_ms: z.number(),
  sent_at: z.string(),
});

export const listAttempts = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}/events/{event_id}/attempts",
  summary: "List an event's delivery attempts, newest first",
  permission: "console",
  privilege: "api_controls",
  params: EventPath,
  notFound: NOT_FOUND,
  query: PageQuery,
  response: listOf(AttemptRow),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) =>
    listObject(await list(ctx, params.id, params.event_id, query), (attempt) => ({
      id: attempt.id,
      number: attempt.number,
      http_status: attempt.httpStatusCode,
      response: attempt.response,
      error: attempt.error,
      explanation: attempt.error === null ? null : explainFailure(attempt.error),
      duration_ms: attempt.durationMs,
      sent_at: consoleTimestamp(attempt.sentAt),
    })),
});
