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
        "ISO 8601 with time zone, or a phrase like `in 2 hours`; at most 30 days ahead. Also scheduledAt",
      ),
    scheduledAt: z.string().nullish().describe("Other spelling of scheduled_at"),
  })
  // Null and "" stand for a field that was left out, so they must not hide its twin.
  .transform((body) => ({ scheduled_at: body.scheduled_at || body.scheduledAt || undefined }))
  .pipe(z.object({ scheduled_at: ScheduledAt }));

export const updateEmail = defineEndpoint({
  method: "PATCH",
  path: "/emails/{id}",
  summary: "Move the time of a scheduled email",
  description: "A time less than 5 seconds away, or up to a minute in the past, sends at once.",
  permission: "full_access",
  privilege: "api_controls",
  params: z.object({ id: z.uuid().toLowerCase().describe("Id of the email") }),
  notFound: "Email not found",
  body: UpdateFields,
  response: EmailReference,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body }) => {
    await rescheduleEmail(ctx, id, body.scheduled_at);
    return { object: "email" as const, id };
  },
});
