import { z } from "zod";

import { WEBHOOK_EVENT_TYPES } from "#server/core/webhooks/events/event-types.ts";
import { EVENTS_MAX } from "#server/core/webhooks/endpoints/webhooks.ts";
import { boundedList } from "#server/http/bounded.ts";

// Core validates both fields.

export const Endpoint = z.string().meta({
  format: "uri",
  description:
    "`https://` URL of up to 2,000 characters on a public host and port 443 or 8443, without user name and password",
});

export const Events = boundedList(z.string(), EVENTS_MAX).meta({
  description: "1 to 20 event types; duplicates are ignored",
  minItems: 1,
  items: { type: "string", enum: [...WEBHOOK_EVENT_TYPES] },
});
