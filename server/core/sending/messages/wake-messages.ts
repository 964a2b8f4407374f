import { createWake } from "#server/core/shared/wake.ts";

/** Postgres channel on which the pump hears that messages are due. */
export const MESSAGES_CHANNEL = "messages";

/** Tells the pump to look at the messages now. The pump also looks by itself every second. */
export const wakeMessages = createWake(MESSAGES_CHANNEL);
