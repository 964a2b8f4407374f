import { pgEnum } from "drizzle-orm/pg-core";

/** Every type an entry of an email's history can have. `queued` is the state between due time and hand-over. */
export const emailEventType = pgEnum("email_event_type", [
  "scheduled",
  "queued",
  "sent",
  "delivered",
  "delivery_delayed",
  "bounced",
  "failed",
  "canceled",
  "suppressed",
  "opened",
  "clicked",
  "unsubscribed",
  "replied",
  "auto_replied",
]);
/** What people do after the delivery doesn't change an email's state, unlike opens and clicks. */
export type EmailState = Exclude<
  (typeof emailEventType.enumValues)[number],
  "unsubscribed" | "replied" | "auto_replied"
>;
