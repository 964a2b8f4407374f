import { emailEventType } from "#drizzle/schema/index.ts";

/** The states of an email: the type of its newest event. */
export const EMAIL_STATES = emailEventType.enumValues;

/** States that can apply to some recipients although the newest event concerns another. */
export const PROBLEM_STATES = ["bounced", "failed", "suppressed", "complained"] as const;
