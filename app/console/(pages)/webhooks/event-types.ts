import type { EventType } from "./queries.ts";

type Group = { name: string; types: Partial<Record<EventType, string>> };

/** Every type of event and when it is sent. */
export const EVENT_GROUPS: Group[] = [
  {
    name: "Delivery",
    types: {
      "email.sent": "Accepted, and handed over for delivery",
      "email.delivered": "A recipient's server took it",
      "email.delivery_delayed": "A recipient's server wants it later",
      "email.bounced": "It could not be delivered to a recipient",
      "email.failed": "It could not be sent at all",
      "email.scheduled": "Accepted, to be sent later",
      "email.suppressed": "A recipient was left out: on the suppression list",
      "email.complained": "A recipient marked it as spam",
    },
  },
  {
    name: "Readers",
    types: {
      "email.opened": "The tracking image was loaded",
      "email.clicked": "A tracked link was followed",
    },
  },
  {
    name: "Domains",
    types: {
      "domain.created": "A domain was added through the API",
      "domain.updated": "Its status or its tracking changed",
      "domain.deleted": "A domain was removed through the API",
    },
  },
];

export const EVENT_TYPES = EVENT_GROUPS.flatMap(({ types }) => Object.keys(types)) as EventType[];

/** "All types", or how many of them. */
export function eventsInWords(events: EventType[]): string {
  if (events.length === EVENT_TYPES.length) return "All types";
  return events.length === 1 ? events[0]! : `${events.length} of ${EVENT_TYPES.length} types`;
}
