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
 * Like `inBatches`, for rows among which some stay: a batch begins at the place where the last one ended, instead of passing
 * those that stay once more.
 *
 * @param first lowest place
 * @param work gets the place to begin at. It returns the number of rows and the place of the last one
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

/** The lowest places of rows in the order of time, and of ids. */
export const FIRST_TIME = "-infinity";
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
