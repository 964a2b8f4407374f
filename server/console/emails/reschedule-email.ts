import { z } from "zod";

import { ScheduledAt } from "#server/api/emails/scheduled-at-field.ts";
import { rescheduleEmail as reschedule } from "#server/core/sending/emails/reschedule-email.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";

export const rescheduleEmail = defineEndpoint({
  method: "PATCH",
  path: "/console/api/emails/{id}",
  summary: "Reschedule a scheduled email",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  body: z.object({ scheduled_at: ScheduledAt }),
  response: z.object({ id: z.uuid() }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, body }) => {
    await reschedule(ctx, id, body.scheduled_at);
    return { id };
  },
});
