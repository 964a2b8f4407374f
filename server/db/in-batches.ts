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
