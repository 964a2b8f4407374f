/** Most senders of spam do not come again; mail servers do after some minutes. */
export const GREYLIST_WAIT_MINUTES = 5;

/** A sender that was let in once is let in for so long after its last mail: a month's newsletter finds its way. */
export const GREYLIST_FORGOTTEN_DAYS = 36;

/** No mail server tries for longer (RFC 5321, 4.5.4.1); who comes later begins anew. */
export const UNPROVEN_DAYS = 5;
