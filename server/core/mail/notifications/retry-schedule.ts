const RETRY_FIRST_SECONDS = 30;
const RETRY_MAX_SECONDS = 1_800;

/** How long a worker may post a batch; longer than one takes if each request times out. */
export const LEASE_SECONDS = 300;
/** Notices and alarms that couldn't be sent within this time are dropped. */
export const GIVEN_UP_HOURS = 24;

/** The wait before the next attempt, after `failures` earlier ones. */
export const retrySeconds = (failures: number): number =>
  Math.min(RETRY_MAX_SECONDS, RETRY_FIRST_SECONDS * 2 ** Math.min(failures, 10));
