import { z } from "zod";

import { advanceClock as advance } from "#server/core/sending/test-mode/advance-clock.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DAYS_MAX = 30;

const DURATION = "must be a whole number with a unit: s, m, h or d, such as 90s, 2h or 3d";

const Duration = z
  .string()
  .regex(/^[1-9]\d{0,6}(s|m|h|d)$/, DURATION)
  .transform((text) => Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS])
  .refine((seconds) => seconds <= DAYS_MAX * UNITS.d, `must be at most ${DAYS_MAX}d`)
  .meta({ type: "string", example: "2h" })
  .describe("How far to move: a whole number of seconds, minutes, hours or days, up to `30d`");

export const advanceClock = defineEndpoint({
  method: "POST",
  path: "/test/clock",
  summary: "Advance the test clock",
  description:
    "Lets time pass for the company's test data: scheduled emails, retries and their expiry, webhook retries and idempotency keys move that much closer. What is due then happens at once. Live data isn't affected. Calling it twice advances twice.",
  permission: "test",
  privilege: null,
  body: z.object({ advance: Duration }),
  response: z.object({
    object: z.literal("test_clock").describe("Object type"),
    advanced_seconds: z.number().int().describe("How far the clock moved"),
    scheduled_emails: z.number().int().describe("Scheduled emails that moved"),
    retries: z.number().int().describe("Recipients waiting for an attempt that moved"),
    webhook_events: z.number().int().describe("Webhook events waiting for an attempt that moved"),
  }),
  refusals: ["missing_required_field", "invalid"],
  handle: async ({ ctx, body: { advance: seconds } }) => {
    const { scheduledEmails, retries, webhookEvents } = await advance(ctx, seconds);
    return {
      ...{ object: "test_clock" as const, advanced_seconds: seconds },
      ...{ scheduled_emails: scheduledEmails, retries, webhook_events: webhookEvents },
    };
  },
});
