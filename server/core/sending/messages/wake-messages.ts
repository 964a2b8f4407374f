import { createWake } from "#server/core/shared/wake.ts";

/** Postgres channel that notifies the pump of due messages. */
export const MESSAGES_CHANNEL = "messages";

/** Makes the pump check the messages now. It also polls every second. */
export const wakeMessages = createWake(MESSAGES_CHANNEL);
