import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { failureInWords } from "#server/core/webhooks/attempts/failure-in-words.ts";
import { listAttempts as list } from "#server/core/webhooks/attempts/list-attempts.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EventPath } from "./event-row.ts";
import { NOT_FOUND } from "./webhook-row.ts";

const AttemptRow = z.object({
  id: z.string(),
  number: z.number().describe("From 1"),
  http_status: z.number().nullable().describe("Null when no answer came"),
  response: z.string().describe("The answer's beginning, without what the URL keeps secret"),
  error: z.string().nullable().describe("Null on success"),
  explanation: z.string().nullable().describe("The error in plain words"),
  duration_ms: z.number(),
  sent_at: z.string(),
});

export const listAttempts = defineEndpoint({
  method: "GET",
  path: "/console/api/webhooks/{id}/events/{event_id}/attempts",
  summary: "List the attempts to deliver an event, newest first",
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
      explanation: attempt.error === null ? null : failureInWords(attempt.error),
      duration_ms: attempt.durationMs,
      sent_at: consoleTimestamp(attempt.sentAt),
    })),
});
