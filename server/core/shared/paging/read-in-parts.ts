/** Rows per statement. */
const ROWS_PER_READ = 500;

/**
 * Reads the rows with these keys in parts, in the order of the keys. If one statement has read the keys of a sorted
 * list, rows that move in it meanwhile are neither lost nor repeated, and those deleted meanwhile are left out.
 *
 * @param read the rows with some of the keys, in any order
 */
export async function* readInParts<Key, Row>(
  keys: readonly Key[],
  read: (keys: Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  rowsPerRead = ROWS_PER_READ,
): AsyncGenerator<Row[]> {
  for (let at = 0; at < keys.length; at += rowsPerRead) {
    const part = keys.slice(at, at + rowsPerRead);
    const found = new Map((await read(part)).map((row) => [keyOf(row), row]));
    yield part.flatMap((key) => found.get(key) ?? []);
  }
}
