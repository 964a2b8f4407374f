import type {
  Direction,
  DirectedPageRequest,
  Page,
  Place,
} from "#server/core/shared/paging/page.ts";

const ROWS_PER_READ = 500;

/**
 * All rows of a list sorted by creation, read page by page for an export. Rows that are deleted meanwhile are left out,
 * even the one that the next page continues from.
 *
 * @param read reads a page, which may be incomplete if the search stopped early
 */
export async function* exportPages<Row extends Place, Item>(
  read: (page: DirectedPageRequest) => Promise<Page<Row> & { searchedTo: Place | null }>,
  direction: Direction,
  toItem: (row: Row) => Item,
): AsyncGenerator<Item[]> {
  let start: Place | null = null;
  do {
    const page = await read({ limit: ROWS_PER_READ, after: null, before: null, direction, start });
    yield page.rows.map(toItem);
    start = page.searchedTo ?? (page.hasMore ? page.rows.at(-1)! : null);
  } while (start !== null);
}

/** Maps each row of each page. */
export async function* mapRows<Row, Item>(
  pages: AsyncIterable<Row[]>,
  toItem: (row: Row) => Item,
): AsyncGenerator<Item[]> {
  for await (const rows of pages) yield rows.map(toItem);
}
