/**
 * Repeats work that handles at most `size` rows until it finds fewer: small transactions, so that nobody
 * waits for a large one.
 *
 * @param work handles a batch and returns how many rows it had
 * @returns rows in all
 */
export async function inBatches(size: number, work: () => Promise<number>): Promise<number> {
  let handled = 0;
  for (;;) {
    const batch = await work();
    handled += batch;
    if (batch < size) return handled;
  }
}
