import { createWake } from "#server/core/shared/wake.ts";

/** Postgres channel that notifies workers of due webhook events. */
export const WEBHOOKS_CHANNEL = "webhooks";

/** Makes the workers check for due webhook events now. They also poll every second. */
export const wakeWebhooks = createWake(WEBHOOKS_CHANNEL);
