import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { type ListedWebhookEvent, toEventId } from "#server/core/webhooks/events/webhook-events.ts";

import { EventType } from "./webhook-row.ts";

export const EventPath = z.object({ id: z.uuid(), event_id: z.string() });

export const EventStatus = z.enum(["pending", "attempting", "success", "failed"]);

export const EventRow = z.object({
  id: z.string().describe("The event's `webhook-id`: msg_…"),
  type: EventType,
  status: EventStatus,
  attempts: z.number(),
  is_test: z.boolean(),
  created_at: z.string(),
});

export const ListedEventRow = EventRow.extend({
  about: z.string().nullable().describe("The email's first recipient or the domain's name"),
});

export const listedEventRow = (
  event: ListedWebhookEvent & { about: string | null },
): z.input<typeof ListedEventRow> => ({
  ...eventRow(event),
  about: event.about,
});

export function eventRow(event: ListedWebhookEvent): z.input<typeof EventRow> {
  return {
    id: toEventId(event.id),
    type: EventType.parse(event.type),
    status: event.status,
    attempts: event.attempts,
    is_test: event.isTest,
    created_at: consoleTimestamp(event.createdAt),
  };
}
