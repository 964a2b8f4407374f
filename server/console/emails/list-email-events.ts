import { z } from "zod";

import type { EmailEvent } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/console/timestamp.ts";
import { EMAIL_EVENT_TYPES } from "#server/core/sending/emails/email-states.ts";
import { listEmailEvents as list } from "#server/core/sending/emails/list-email-events.ts";
import { explainOutcome } from "#server/core/sending/replies/explain-outcome.ts";
import { explainTls } from "#server/core/sending/transport-security/tls-outcome.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";
import { Explanation } from "./explanation.ts";

const EventRow = z.object({
  id: z.string(),
  type: z.enum(EMAIL_EVENT_TYPES),
  created_at: z.string(),
  recipient: z.string().nullable(),
  dsn: z.string().nullable(),
  message: z.string().nullable(),
  reason: z.string().nullable(),
  tls: z.string().nullable().describe("How the connection was encrypted, or why not"),
  server: z.string().nullable().describe("The server that a delivery was accepted by"),
  link: z.string().nullable(),
  explanation: Explanation,
});

export const listEmailEvents = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/events",
  summary: "List an email's events, oldest first",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  query: PageQuery,
  response: listOf(EventRow),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) => listObject(await list(ctx, params.id, query), eventRow),
});

function eventRow(event: EmailEvent): z.input<typeof EventRow> {
  return {
    id: event.id.toString(),
    type: event.type,
    created_at: consoleTimestamp(event.createdAt),
    recipient: event.recipient,
    dsn: event.dsn,
    message: event.message,
    reason: event.reason,
    tls: event.tls && explainTls(event.tls),
    server: event.server && `${event.server} (${event.serverAddress})`,
    link: event.link,
    explanation: explainOutcome(event),
  };
}
