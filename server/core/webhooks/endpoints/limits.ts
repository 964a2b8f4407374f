/** Webhooks of one company. */
export const WEBHOOKS_MAX = 10;

/** Entries of a list of event types, duplicates among them. */
export const EVENTS_MAX = 20;
