import { z } from "zod";

const ENDPOINT_MAX = 2_000;
const EVENTS_MAX = 20;

/** Checks only the shape; core validates URLs and event types. */
export const WebhookFields = z.object({
  endpoint: z
    .string()
    .min(1, "must be an https URL")
    .max(ENDPOINT_MAX, `must have at most ${ENDPOINT_MAX} characters`),
  events: z
    .array(z.string())
    .min(1, "must contain at least one event type")
    .max(EVENTS_MAX, `must contain at most ${EVENTS_MAX} event types`),
});
