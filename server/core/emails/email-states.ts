import { emailEventType } from "#drizzle/schema/index.ts";

/** What an email's newest event can be, and so the states an email can be in. */
export const EMAIL_STATES = emailEventType.enumValues;
