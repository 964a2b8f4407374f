import type { emailEventType, EmailState } from "#drizzle/schema/index.ts";

type HistoryType = (typeof emailEventType.enumValues)[number];

type EventFacts = {
  /** For entries of an email's history. */
  label?: string;
  tone?: "done" | "waiting" | "failed" | "info" | "none";
  /** Also a state of the email. */
  isState?: true;
  /** For events that webhooks can subscribe to. */
  webhook?: {
    /** The heading that the console lists it under. */
    group: "Delivery" | "Engagement" | "Receiving" | "Domains";
    /** In Markdown, without a capital letter and final period. */
    description: string;
  };
};

type HistoryEntry = EventFacts & { label: string; tone: string };

/**
 * Everything that happens to emails and domains, in the order of the API reference: entries of an email's history, and
 * events that webhooks can subscribe to.
 */
export const EVENT_TYPES = {
  "email.queued": { label: "Queued", tone: "waiting", isState: true },
  "email.sent": {
    label: "Sent",
    tone: "info",
    isState: true,
    webhook: { group: "Delivery", description: "the mail server accepted the email for delivery" },
  },
  "email.delivered": {
    label: "Delivered",
    tone: "done",
    isState: true,
    webhook: { group: "Delivery", description: "a recipient's server accepted the email" },
  },
  "email.delivery_delayed": {
    label: "Delayed",
    tone: "waiting",
    isState: true,
    webhook: {
      group: "Delivery",
      description: "delivery to a recipient failed temporarily and will be retried",
    },
  },
  "email.bounced": {
    label: "Bounced",
    tone: "failed",
    isState: true,
    webhook: {
      group: "Delivery",
      description:
        "delivery to a recipient failed permanently, or all retries failed. If the reply shows that the address doesn't work, it is suppressed",
    },
  },
  "email.complained": {
    webhook: { group: "Delivery", description: "a recipient reported the email as spam" },
  },
  "email.failed": {
    label: "Failed",
    tone: "failed",
    isState: true,
    webhook: { group: "Delivery", description: "the email could not be sent" },
  },
  "email.canceled": { label: "Canceled", tone: "none", isState: true },
  "email.opened": {
    label: "Opened",
    tone: "done",
    isState: true,
    webhook: {
      group: "Engagement",
      description: "a recipient opened the email (the tracking image was loaded)",
    },
  },
  "email.clicked": {
    label: "Clicked",
    tone: "done",
    isState: true,
    webhook: { group: "Engagement", description: "a recipient clicked a tracked link" },
  },
  "email.scheduled": {
    label: "Scheduled",
    tone: "info",
    isState: true,
    webhook: { group: "Delivery", description: "an email was scheduled" },
  },
  "email.suppressed": {
    label: "Suppressed",
    tone: "none",
    isState: true,
    webhook: {
      group: "Delivery",
      description: "a recipient was skipped because of the suppression list",
    },
  },
  "email.unsubscribed": {
    label: "Unsubscribed",
    tone: "none",
    webhook: {
      group: "Engagement",
      description:
        "a recipient unsubscribed with the link of `List-Unsubscribe: auto` and is suppressed from now on",
    },
  },
  "email.received": {
    webhook: {
      group: "Receiving",
      description: "one of your inbound addresses received an email",
    },
  },
  "email.replied": {
    label: "Replied",
    tone: "done",
    webhook: {
      group: "Receiving",
      description:
        "someone replied to an email, at a mailbox, group or inbound address of yours. Automatic replies, such as vacation replies, and bounces don't count",
    },
  },
  "email.auto_replied": { label: "Replied automatically", tone: "none" },
  "domain.created": {
    webhook: { group: "Domains", description: "a domain was created through the API" },
  },
  "domain.updated": {
    webhook: {
      group: "Domains",
      description:
        "verification through the API changed a domain's status, or its settings for tracking and unsubscribing changed",
    },
  },
  "domain.deleted": {
    webhook: { group: "Domains", description: "a domain was deleted through the API" },
  },
} as const satisfies Record<`email.${EmailState}`, HistoryEntry & { isState: true }> &
  Record<`email.${HistoryType}`, HistoryEntry> &
  Record<string, EventFacts>;

type EventType = keyof typeof EVENT_TYPES;

/** A type of event that webhooks can subscribe to. */
export type WebhookEventType = {
  [Type in EventType]: (typeof EVENT_TYPES)[Type] extends { webhook: object } ? Type : never;
}[EventType];

// Safe: the object literal has no other keys.
const ALL = Object.keys(EVENT_TYPES) as EventType[];

export const WEBHOOK_EVENT_TYPES = ALL.filter(
  (type): type is WebhookEventType => "webhook" in EVENT_TYPES[type],
);

const HISTORY_TYPES = ALL.filter((type) => "label" in EVENT_TYPES[type]).map(
  (type) => type.replace("email.", "") as HistoryType,
);

/** Whether a type of entry in an email's history is a state of the email. */
export const isEmailState = (type: HistoryType): type is EmailState =>
  "isState" in EVENT_TYPES[`email.${type}`];

export const EMAIL_STATUSES = HISTORY_TYPES.filter(isEmailState);
