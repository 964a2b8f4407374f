import { Refusal } from "#server/core/shared/refusals.ts";

import {
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from "#server/core/webhooks/events/event-types.ts";
import { EVENTS_MAX } from "#server/core/webhooks/endpoints/limits.ts";

/**
 * Returns the event types of a subscription without duplicates, in order.
 *
 * @throws Refusal `invalid` for none, for more than 20 entries and for an unknown type
 */
export function parseEventTypes(events: readonly string[]): WebhookEventType[] {
  if (events.length === 0 || events.length > EVENTS_MAX)
    throw new Refusal("invalid", `events: must list 1 to ${EVENTS_MAX} event types`);
  return [...new Set(events.map(parseEventType))];
}

function parseEventType(event: string): WebhookEventType {
  const type = WEBHOOK_EVENT_TYPES.find((type) => type === event);
  if (!type)
    throw new Refusal(
      "invalid",
      `events: ${JSON.stringify(event.slice(0, 80))} is not an event type. Use one of ${WEBHOOK_EVENT_TYPES.join(", ")}`,
    );
  return type;
}
