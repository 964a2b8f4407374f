/** The smallest and largest quota of a mailbox, in MB. */
export const QUOTA_MB_MIN = 256;
export const QUOTA_MB_MAX = 51_200;
