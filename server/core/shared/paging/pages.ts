import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import { readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { storableText } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

/** At most one of `after` and `before` is set. */
export type PageRequest = { limit: number; after: string | null; before: string | null };

export type Direction = "ascending" | "descending";

/** A cursor: the (created_at, id) of a row, which may have been deleted. */
export type Place = { id: string; createdAt: string };

/** A request for a page of a list sorted by time, newest first if the direction is left out. */
export type DirectedPageRequest = PageRequest & {
  direction?: Direction;
  /** The page begins after this place. Instead of `after`, whose row must exist. */
  start?: Place | null;
};

/** Rows in list order. */
export type Page<Row> = {
  rows: Row[];
  /** More rows exist beyond the page in the paging direction. */
  hasMore: boolean;
};

/** A page that can count its list. */
export type CountedPage<Row> = Page<Row> & {
  /** Null with a filter that no index supports, because counting would read the whole list. */
  count: () => Promise<ListCounts | null>;
};

/** Which rows a list has. `within` is a range that an index supports, `fits` a filter that none does. */
export type ListParts = {
  inList: SQL | undefined;
  within?: SQL | undefined;
  fits?: SQL | undefined;
};

/**
 * Cuts a page from `limit + 1` rows that start at the cursor: in list order, or in reverse when paging
 * towards the beginning.
 */
export function toPage<Row>(rows: Row[], { limit, before }: PageRequest): Page<Row> {
  const page = rows.slice(0, limit);
  return { rows: before === null ? page : page.reverse(), hasMore: rows.length > limit };
}

export const invalidCursor = () => new Refusal("invalid", "Invalid pagination cursor");

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is valid for a uuid column. */
export const isUuid = (text: string) => UUID.test(text);

/**
 * Query parts for a page of a list ordered by (key, id), with IDs as cursors. Read `limit + 1` rows, as `toPage`
 * expects. A page continues from the key that the cursor's row has now; without such a row it is empty.
 *
 * @param key `id` itself, or what is sorted by
 * @param keyOf the key of the row with an ID, as a scalar subquery; not used if the key is the ID
 */
export function pageByKey(
  { key, id, keyOf }: { key: SQL | PgColumn; id: PgColumn; keyOf: (id: string) => SQL },
  inList: SQL | undefined,
  page: PageRequest,
  direction: Direction,
) {
  const isUp = (page.before === null) === (direction === "ascending");
  const order = isUp ? asc : desc;
  const cursor = page.after ?? page.before;
  const beyond = (from: string, sign: "<" | ">") =>
    key === id
      ? sql`${id} ${sql.raw(sign)} ${from}`
      : sql`(${key}, ${id}) ${sql.raw(sign)} (${keyOf(from)}, ${from})`;
  return {
    inList,
    where: and(inList, cursor === null ? undefined : beyond(cursor, isUp ? ">" : "<")),
    orderBy: key === id ? [order(id)] : [order(key), order(id)],
    /** The rows that come before a row of the list. */
    before: (row: string) => and(inList, beyond(row, direction === "ascending" ? "<" : ">")),
  };
}

/**
 * Query parts for a page of a list ordered by address, with addresses as cursors. Read `limit + 1` rows, as
 * `toPage` expects. The caller must check that `cursor` is in the list.
 *
 * @throws Refusal `invalid` for a cursor that isn't an address
 */
export function pageByAddress(address: PgColumn, inList: SQL | undefined, page: PageRequest) {
  const cursor = readAddressCursor(page.after ?? page.before);
  const isForward = page.before === null;
  const beyond = cursor === null ? undefined : (isForward ? gt : lt)(address, cursor);
  return {
    cursor,
    where: and(inList, beyond),
    orderBy: (isForward ? asc : desc)(address),
  };
}

/**
 * An unencoded plus in a query string arrives as a space, which addresses never contain.
 *
 * @throws Refusal `invalid` for text that isn't an address
 */
export function readAddressCursor(text: string | null): string | null {
  if (text === null) return null;
  const address = readBareAddress(text.replaceAll(" ", "+"));
  if (address === null) throw invalidCursor();
  return address;
}

/** `pageSorted` by (created_at, id), newest first. */
export const pageNewestFirst = (
  db: Db,
  table: PgTable & { id: PgColumn; createdAt: PgColumn },
  inList: SQL | undefined,
  page: PageRequest,
) => pageSorted(db, table, byTime(table), { inList }, page);

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

/** One of the orders that a list offers. */
export type Sort<Key extends string> = { by: Key; direction: Direction };

/** A key that is never null, and its direction. The ID decides between equal keys. */
export type SortOrder = { key: SQL | PgColumn; direction: Direction };

/** @returns the order for a sort by one of these keys */
export const sortOrders =
  <Key extends string>(keys: Record<Key, SQL | PgColumn>) =>
  ({ by, direction }: Sort<Key>): SortOrder => ({ key: keys[by], direction });

type Listed = PgTable & { id: PgColumn };

type RowQuery<Row> = {
  where(condition: SQL | undefined): {
    orderBy(...keys: SQL[]): { limit(rows: number): PromiseLike<Row[]> };
  };
};

/** Newest first if `direction` is left out. */
export const byTime = (
  table: { createdAt: PgColumn },
  direction: Direction = "descending",
): SortOrder => ({ key: table.createdAt, direction });

/**
 * A page of a sorted list, and its query parts. The query that reads the page also looks up the cursor.
 *
 * @throws Refusal `invalid` for a cursor that isn't an id
 */
export function pageSorted(
  db: Db,
  table: Listed,
  order: SortOrder,
  parts: Omit<ListParts, "within">,
  page: PageRequest,
) {
  const { key, direction } = order;
  const inList = and(parts.inList, parts.fits);
  const cursor = page.after ?? page.before;
  if (cursor !== null && !isUuid(cursor)) throw invalidCursor();
  const rowWith = (id: string | null) =>
    db
      .select({ key: sql`${key}` })
      .from(table)
      .where(and(inList, eq(table.id, id)));
  const keys = { key, id: table.id, keyOf: (id: string) => sql`(${rowWith(id)})` };
  const list = pageByKey(keys, inList, page, direction);
  return {
    ...list,
    /**
     * Reads the page. Looks up the cursor only if the page is empty, as it is for an unknown cursor.
     *
     * @param query selects the columns; without conditions
     * @param within another condition for rows; the cursor needn't meet it
     * @throws Refusal `invalid` if there is a cursor and it isn't in the list
     */
    async read<Row extends { id: string }>(
      query: RowQuery<Row>,
      within?: SQL,
    ): Promise<CountedPage<Row>> {
      const rows = await query
        .where(and(list.where, within))
        .orderBy(...list.orderBy)
        .limit(page.limit + 1);
      if (rows.length === 0 && cursor !== null && (await rowWith(cursor)).length === 0)
        throw invalidCursor();
      const shown = toPage(rows, page);
      const count = () => countSorted(db, table, order, { ...parts, within }, shown.rows[0]);
      return { ...shown, count };
    },
  };
}

/** Counts a sorted list. Null with `fits`, because counting would read the whole list. */
export async function countSorted(
  db: Db,
  table: Listed,
  order: SortOrder,
  { inList, within, fits }: ListParts,
  first: { id: string } | undefined,
): Promise<ListCounts | null> {
  if (fits) return null;
  const start = { limit: 1, after: null, before: null };
  const list = pageSorted(db, table, order, { inList }, start);
  const rows = (where: SQL | undefined) =>
    db.select({ id: table.id }).from(table).where(and(where, within));
  return countAround(db, rows, list, first?.id);
}

/**
 * Counts a list, and the rows before the first one of a page.
 *
 * @param rows a query for the rows that meet a condition
 * @param list from `pageByKey`
 */
export async function countAround(
  db: Db,
  rows: (where: SQL | undefined) => { getSQL(): SQL },
  list: Pick<ReturnType<typeof pageByKey>, "inList" | "before">,
  first: string | undefined,
): Promise<ListCounts> {
  const [{ count: total, isCut }, before] = await Promise.all([
    countRows(db, rows(list.inList)),
    first === undefined ? { count: 0 } : countRows(db, rows(list.before(first))),
  ]);
  return { before: before.count, total, isCut };
}

/** Counting stops here, so that it stays cheap however long the list is. */
const COUNTED_MAX = 10_000;

/** The size of a list and the place of a page in it, both up to `COUNTED_MAX`. */
export type ListCounts = {
  /** Rows before the page. */
  before: number;
  total: number;
  /** There are more rows than `total`. */
  isCut: boolean;
};

/** @param rows a query for the rows, of any columns, without a limit */
async function countRows(
  db: Db,
  rows: { getSQL(): SQL },
): Promise<{ count: number; isCut: boolean }> {
  const [found] = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (${rows.getSQL()} limit ${COUNTED_MAX + 1}) counted`,
  );
  const { count } = found!;
  return { count: Math.min(count, COUNTED_MAX), isCut: count > COUNTED_MAX };
}

/** A LIKE pattern for lowercase text that contains the search text, taken literally. */
export function containsPattern(search: string): string {
  const text = storableText(search.toLowerCase());
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

/** SQL condition: the texts contain every word of the search, in any order and case. Apostrophes may be straight or curly. */
export function containsWords(texts: (SQL | PgColumn)[], search: string): SQL {
  const straight = (text: SQL) => sql`translate(${text}, '’', '''')`;
  const text = straight(sql`lower(concat_ws(' ', ${sql.join(texts, sql`, `)}))`);
  const words = storableText(search)
    .split(/\s+/)
    .filter((word) => word !== "");
  const conditions = words.map(
    (word) => sql`${text} like ${straight(sql`${containsPattern(word)}::text`)}`,
  );
  return sql`(${sql.join([sql`true`, ...conditions], sql` and `)})`;
}

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
