/**
 * Repeats `work` until it processes fewer than `size` rows. Small transactions keep locks short.
 *
 * @param work processes a batch and returns its number of rows
 * @returns the total number of rows
 */
export async function inBatches(size: number, work: () => Promise<number>): Promise<number> {
  let handled = 0;
  for (;;) {
    const batch = await work();
    handled += batch;
    if (batch < size) return handled;
  }
}

/**
 * Like `inBatches`, for when some rows are kept: each batch starts where the last one ended, instead of scanning the kept rows
 * again.
 *
 * @param first lowest sort key
 * @param work gets the sort key to start at, and returns the number of rows and the sort key of the last one
 */
export function inOrderedBatches(
  size: number,
  first: string,
  work: (from: string) => Promise<OrderedBatch>,
): Promise<number> {
  let from = first;
  return inBatches(size, async () => {
    const { count, last } = await work(from);
    from = last ?? from;
    return count;
  });
}

/** `last` is null if there were no rows. */
export type OrderedBatch = { count: number; last: string | null };

/** The lowest sort keys, by time and by id. */
export const FIRST_TIME = "-infinity";
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
