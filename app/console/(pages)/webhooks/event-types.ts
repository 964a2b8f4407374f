import type { EventType } from "./queries.ts";

type Group = { name: string; types: Partial<Record<EventType, string>> };

export const EVENT_GROUPS: Group[] = [
  {
    name: "Delivery",
    types: {
      "email.sent": "Email accepted and queued for delivery",
      "email.delivered": "A recipient’s mail server accepted the email",
      "email.delivery_delayed": "A recipient’s mail server deferred the email; Posthouse retries",
      "email.bounced": "The email couldn’t be delivered to a recipient",
      "email.failed": "The email couldn’t be sent",
      "email.scheduled": "Email accepted and scheduled for later",
      "email.suppressed": "A recipient is on the suppression list and was skipped",
      "email.complained": "A recipient marked the email as spam",
    },
  },
  {
    name: "Engagement",
    types: {
      "email.opened": "A recipient opened the email (tracking image loaded)",
      "email.clicked": "A recipient clicked a tracked link",
      "email.unsubscribed": "A recipient unsubscribed and was added to the suppression list",
    },
  },
  {
    name: "Receiving",
    types: {
      "email.received": "An inbound address received an email",
      "email.replied": "Someone replied to an email; automatic replies don’t count",
    },
  },
  {
    name: "Domains",
    types: {
      "domain.created": "A domain was created through the API",
      "domain.updated": "A domain’s status or settings changed",
      "domain.deleted": "A domain was deleted through the API",
    },
  },
];

export const EVENT_TYPES = EVENT_GROUPS.flatMap(({ types }) => Object.keys(types)) as EventType[];

/** "All events", "email.sent", or "3 of 16 events". */
export function eventTypeSummary(events: EventType[]): string {
  if (events.length === EVENT_TYPES.length) return "All events";
  return events.length === 1 ? events[0]! : `${events.length} of ${EVENT_TYPES.length} events`;
}
