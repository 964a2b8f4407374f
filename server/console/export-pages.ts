import type { Page, PageRequest } from "#server/core/shared/paging/page.ts";

const ROWS_PER_READ = 500;

type FoundPage<Row> = Page<Row> & { searchedTo?: { id: string } | null };

/**
 * The rows of a list as the cells of a CSV export, read page by page.
 *
 * @param read reads a page, which may be incomplete if the search stopped early
 * @param cursorOf the cursor that continues after a row
 */
export async function* exportPages<Row, Cell>(
  read: (page: PageRequest) => Promise<FoundPage<Row>>,
  cursorOf: (row: Row) => string,
  toCells: (row: Row) => Cell[],
): AsyncGenerator<Cell[][]> {
  let after: string | null = null;
  do {
    const page: FoundPage<Row> = await read({ limit: ROWS_PER_READ, after, before: null });
    yield page.rows.map(toCells);
    const last = page.rows.at(-1);
    after = page.searchedTo?.id ?? (page.hasMore && last ? cursorOf(last) : null);
  } while (after !== null);
}
