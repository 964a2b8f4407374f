/** Webhooks per company and mode. */
export const WEBHOOKS_MAX = 10;

/** Entries in a list of event types, including duplicates. */
export const EVENTS_MAX = 20;
