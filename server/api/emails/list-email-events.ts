import { z } from "zod";

import type { EmailEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";
import { listEmailEvents as list } from "#server/core/sending/emails/list-email-events.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

/** An event of an email. Fields without a value are omitted. */
const EmailEventObject = z
  .object({
    object: z.literal("email_event").describe("Object type"),
    id: z.string().describe("Numeric string; also the pagination cursor"),
    type: z
      .string()
      .describe("Event type, such as `email.sent`, `email.delivered` or `email.bounced`"),
    created_at: z.string().describe("When the event happened"),
    recipient: z
      .string()
      .nullable()
      .describe("The recipient; null if the event concerns the whole email"),
    dsn: z.string().optional().describe("Delivery status code, such as `5.1.1`"),
    message: z.string().optional().describe("The receiving server's reply"),
    reason: z
      .string()
      .optional()
      .describe("Why the email failed or was canceled, or why the recipient was suppressed"),
    link: z.string().optional().describe("The clicked URL"),
    ip_address: z
      .string()
      .optional()
      .describe("IP address of the client that opened the email, clicked the link or unsubscribed"),
    user_agent: z
      .string()
      .optional()
      .describe("User agent of the client that opened the email, clicked the link or unsubscribed"),
  })
  .meta({ id: "EmailEvent" });

export const listEmailEvents = defineEndpoint({
  method: "GET",
  path: "/emails/{id}/events",
  summary: "List an email's events",
  description: "Oldest first.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: z.object({ id: z.uuid().describe("The email's ID") }),
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
