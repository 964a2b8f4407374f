import { createWake } from "#server/core/shared/wake.ts";

/** Postgres channel on which workers hear that webhook events are due. */
export const WEBHOOKS_CHANNEL = "webhooks";

/** Tells the workers to look for due webhook events now. They also look by themselves every second. */
export const wakeWebhooks = createWake(WEBHOOKS_CHANNEL);
