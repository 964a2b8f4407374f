/** Emails above this size have their own memory budget: a few of them would fill it. */
export const HEAVY_BYTES = 1024 * 1024;

/** In the order in which a company's recipients are leased. */
export const PRIORITIES = { single: 0, batch: 1, heavy: 2 };

/**
 * A company's single emails, such as password resets, go before its batches. Heavy emails are apart, so that they don't
 * fill a lease that has room for light ones only.
 */
export function outboxPriority({ size, isBatch }: { size: number; isBatch: boolean }): number {
  if (size > HEAVY_BYTES) return PRIORITIES.heavy;
  return isBatch ? PRIORITIES.batch : PRIORITIES.single;
}
