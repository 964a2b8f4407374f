import { emailEventType } from "#drizzle/schema/index.ts";
import { isEmailState } from "#server/universal/event-types.ts";

/** The states of an email: the type of its newest event, apart from what people do after it. */
export const EMAIL_STATES = emailEventType.enumValues.filter(isEmailState);

/** States that can apply to some recipients although the newest event concerns another. */
export const PROBLEM_STATES = ["bounced", "failed", "suppressed", "complained"] as const;
