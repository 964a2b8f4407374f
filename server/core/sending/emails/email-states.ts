import { emailEventType } from "#drizzle/schema/index.ts";

/** What an email's newest event can be, and so the states an email can be in. */
export const EMAIL_STATES = emailEventType.enumValues;

/** What may have befallen some recipients, though the newest event is another's. */
export const PROBLEM_STATES = ["bounced", "failed", "suppressed", "complained"] as const;
