import { z } from "zod";

import type { EmailEvent } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/api/timestamp.ts";

/** An entry of an email's history. Fields without a value are left out. */
export const EmailEventObject = z
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

export function emailEventObject(event: EmailEvent): z.input<typeof EmailEventObject> {
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
