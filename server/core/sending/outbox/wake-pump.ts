import { createWake } from "#server/core/shared/wake.ts";

/** Postgres channel on which the pump hears that rows are due. */
export const OUTBOX_CHANNEL = "outbox";

/** Tells the pump to look at the outbox now. The pump also looks by itself every second. */
export const wakePump = createWake(OUTBOX_CHANNEL);
