import { invalidCursor, type Page, type PageRequest } from "./page.ts";

/**
 * A page of a short list, with ids as cursors.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export function pageInMemory<Row extends { id: string }>(
  rows: Row[],
  { limit, after, before }: PageRequest,
): Page<Row> {
  const cursor = after ?? before;
  const at = cursor === null ? -1 : rows.findIndex(({ id }) => id === cursor);
  if (cursor !== null && at === -1) throw invalidCursor();
  if (before === null)
    return { rows: rows.slice(at + 1, at + 1 + limit), hasMore: rows.length > at + 1 + limit };
  return { rows: rows.slice(Math.max(0, at - limit), at), hasMore: at > limit };
}
