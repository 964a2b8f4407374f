import { z } from "zod";

import { rescheduleEmail } from "#server/core/sending/emails/reschedule-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailReference } from "./email-object.ts";
import { ScheduledAt } from "./scheduled-at-field.ts";

const UpdateFields = z
  .object({
    scheduled_at: z
      .string()
      .nullish()
      .describe(
        "When to send: ISO 8601 with a time zone, or a phrase such as `in 2 hours`. At most 30 days ahead",
      ),
    scheduledAt: z.string().nullish().describe("Alias of `scheduled_at`"),
  })
  // Null and "" count as absent, so they must not override the other spelling.
  .transform((body) => ({ scheduled_at: body.scheduled_at || body.scheduledAt || undefined }))
  .pipe(z.object({ scheduled_at: ScheduledAt }));

export const updateEmail = defineEndpoint({
  method: "PATCH",
  path: "/emails/{id}",
  summary: "Reschedule an email",
  description:
    "Only an email that is still scheduled can be rescheduled. A time less than 5 seconds ahead or up to a minute in the past sends the email immediately.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: z.object({ id: z.uuid().toLowerCase().describe("The email's ID") }),
  notFound: "Email not found",
  body: UpdateFields,
  response: EmailReference,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body }) => {
    await rescheduleEmail(ctx, id, body.scheduled_at);
    return { object: "email" as const, id };
  },
});
