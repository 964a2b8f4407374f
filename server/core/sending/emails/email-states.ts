import { emailEventType, type EmailState } from "#drizzle/schema/index.ts";

/** The types of entries in an email's history. */
const EMAIL_EVENT_TYPES = emailEventType.enumValues;

const NOT_STATES: string[] = ["unsubscribed", "replied", "auto_replied"] satisfies Exclude<
  (typeof EMAIL_EVENT_TYPES)[number],
  EmailState
>[];

/** The states of an email: the type of its newest event, apart from what people do after it. */
export const EMAIL_STATES = EMAIL_EVENT_TYPES.filter(
  (type): type is EmailState => !NOT_STATES.includes(type),
);

/** States that can apply to some recipients although the newest event concerns another. */
export const PROBLEM_STATES = ["bounced", "failed", "suppressed", "complained"] as const;
