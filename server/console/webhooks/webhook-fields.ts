import { z } from "zod";

const ENDPOINT_MAX = 2_000;
const EVENTS_MAX = 20;

/** What a person fills in. Which URLs and event types there may be is judged in the core. */
export const WebhookFields = z.object({
  endpoint: z
    .string()
    .min(1, "must be an https URL")
    .max(ENDPOINT_MAX, `must have at most ${ENDPOINT_MAX} characters`),
  events: z
    .array(z.string())
    .min(1, "must name at least one type of event")
    .max(EVENTS_MAX, `must name at most ${EVENTS_MAX} types of event`),
});
