import { z } from "zod";

import type { EmailEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";
import { listEmailEvents as list } from "#server/core/sending/emails/list-email-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

/** An entry of an email's history. Fields without a value are left out. */
const EmailEventObject = z
  .object({
    object: z.literal("email_event").describe("What kind of object this is"),
    id: z.string().describe("A number; serves as cursor"),
    type: z.string().describe("email.sent, email.delivered, email.bounced and so on"),
    created_at: z.string().describe("When it happened"),
    recipient: z.string().nullable().describe("The recipient concerned; null for the whole email"),
    dsn: z.string().optional().describe("Delivery status code of an outcome, such as 5.1.1"),
    message: z.string().optional().describe("The receiving server's words"),
    reason: z
      .string()
      .optional()
      .describe("Why it failed, was canceled or a recipient was skipped"),
    link: z.string().optional().describe("The URL that was clicked"),
    ip_address: z.string().optional().describe("Address of who opened or clicked"),
    user_agent: z.string().optional().describe("Program that opened or clicked"),
  })
  .meta({ id: "EmailEvent" });

export const listEmailEvents = defineEndpoint({
  method: "GET",
  path: "/emails/{id}/events",
  summary: "Read an email's history, oldest first",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().describe("Id of the email") }),
  notFound: "Email not found",
  query: PageQuery,
  response: listOf(EmailEventObject),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, query }) =>
    listObject(await list(ctx, params.id, query), emailEventObject),
});

function emailEventObject(event: EmailEvent): z.input<typeof EmailEventObject> {
  return {
    object: "email_event",
    id: event.id.toString(),
    type: `email.${event.type}`,
    created_at: apiTimestamp(event.createdAt),
    recipient: event.recipient,
    dsn: event.dsn ?? undefined,
    message: event.message ?? undefined,
    reason: event.reason ?? undefined,
    link: event.link ?? undefined,
    ip_address: event.ipAddress ?? undefined,
    user_agent: event.userAgent ?? undefined,
  };
}
