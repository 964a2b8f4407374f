import { z } from "zod";

import { advanceClock as advance } from "#server/core/sending/test-mode/test-mode.ts";
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
    "Brings forward everything planned for the company's test data: scheduled emails, retries and their expiry, webhook retries, and the expiry of idempotency keys. What becomes due happens within a second. Live data isn't affected. Each call advances the clock again.",
  permission: "test",
  privilege: null,
  body: z.object({ advance: Duration }),
  response: z.object({
    object: z.literal("test_clock").describe("Object type"),
    advanced_seconds: z.number().int().describe("How far the clock moved"),
    scheduled_emails: z.number().int().describe("Scheduled emails that moved"),
    retries: z.number().int().describe("Recipients whose next attempt moved"),
    webhook_events: z.number().int().describe("Webhook events whose next attempt moved"),
  }),
  refusals: ["missing_required_field", "invalid"],
  handle: async ({ ctx, body: { advance: seconds } }) => {
    const { scheduledEmails, retries, webhookEvents } = await advance(ctx, seconds);
    return {
      object: "test_clock" as const,
      advanced_seconds: seconds,
      scheduled_emails: scheduledEmails,
      retries,
      webhook_events: webhookEvents,
    };
  },
});
