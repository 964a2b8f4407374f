// Mail servers retry after some minutes; most spammers don't.
export const GREYLIST_WAIT_MINUTES = 5;

// How long a known sender stays known after its last message. Covers monthly newsletters.
export const GREYLIST_FORGOTTEN_DAYS = 36;

// Mail servers don't retry for longer (RFC 5321, 4.5.4.1). After this time an attempt counts as the first one.
export const UNPROVEN_DAYS = 5;
