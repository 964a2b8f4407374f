/** Days with a quota. */
export const WARM_UP_DAYS = 21;
/** Each day's quota, compared with the day before. */
export const GROWTH = 1.5;
/** The part of a day's quota that batches leave to people's mail and single emails. */
const KEPT_FROM_BATCHES = 0.2;
/** All mail servers of unknown providers together. */
export const OTHER = "other";
/** They judge senders separately. */
const OTHER_SHARE = 5;

export type Quota = {
  /** `server`, `address` and its name if it isn't the first one, or `domain example.com`. */
  subject: string;
  provider: string;
  /** Whether it is the part that batches may use. */
  isBatch: boolean;
};

/** The quota of the first day. */
export function firstQuota({ provider, isBatch }: Omit<Quota, "subject">, setting: number): number {
  const share = provider === OTHER ? OTHER_SHARE : 1;
  return setting * share * (isBatch ? 1 - KEPT_FROM_BATCHES : 1);
}

/** The quota of a day, the first being 1; infinite after the last. */
export const quotaOn = (day: number, first: number): number =>
  day > WARM_UP_DAYS ? Infinity : Math.floor(first * GROWTH ** (day - 1));
