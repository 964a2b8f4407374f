const FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Repeats `work` on rows in the order of their UUIDs, until a batch isn't full.
 *
 * @param work processes up to `size` rows with an ID after `after`, and returns their IDs
 * @returns the number of rows
 */
export async function inIdBatches(
  size: number,
  work: (after: string) => Promise<string[]>,
): Promise<number> {
  let after = FIRST;
  for (let count = 0; ;) {
    const ids = await work(after);
    count += ids.length;
    if (ids.length < size) return count;
    after = ids.reduce((last, id) => (id > last ? id : last));
  }
}
