import { createWake } from "#server/core/shared/wake.ts";

/** Postgres channel that notifies the pump of due rows. */
export const OUTBOX_CHANNEL = "outbox";

/** Makes the pump check the outbox now. It also polls every second. */
export const wakePump = createWake(OUTBOX_CHANNEL);
