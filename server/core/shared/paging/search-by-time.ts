import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

import {
  byTime,
  type CountedPage,
  countSorted,
  type DirectedPageRequest,
  invalidCursor,
  isUuid,
  type ListParts,
  type Place,
  toPage,
} from "./pages.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };

/** Where a search stopped before the end of the list. Pass its ID as `after` to continue. */
type SearchedTo = Place;

/** `searchedTo` is null at the end of the list. */
export type SearchedPage<Row> = CountedPage<Row> & { searchedTo: SearchedTo | null };

/** Rows per statement and statements per page: at most 200 ms of Postgres. */
const BOUNDS = { step: 20_000, stepsMax: 25 };

/**
 * A page of a list sorted by (created_at, id), filtered by a condition that no index supports. Scans at most half
 * a million rows; then the page contains what was found, and `searchedTo` says where the search stopped.
 *
 * @param inList the whole list, read from its index (company, created_at, id); a cursor can be any row of it
 * @param within a time range within the list
 * @param fits the filter; undefined for all
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function searchByTime<Table extends Listed>(
  db: Db,
  table: Table,
  parts: ListParts & { inList: SQL },
  page: DirectedPageRequest,
  { step, stepsMax } = BOUNDS,
): Promise<SearchedPage<Table["$inferSelect"]>> {
  const { inList, within, fits } = parts;
  const listed: PgTable = table;
  const isDown = (page.before === null) === (page.direction !== "ascending");
  const { after, upTo } = comparisons(table, isDown);
  const order = [table.createdAt, table.id].map(isDown ? desc : asc);
  const found: Table["$inferSelect"][] = [];
  let from = page.start ?? (await spotOf(db, table, inList, page.after ?? page.before));

  function result(searchedTo: SearchedTo | null) {
    const shown = toPage(found, page);
    const order = byTime(table, page.direction);
    const count = () => countSorted(db, table, order, parts, shown.rows[0] as Place | undefined);
    return { ...shown, count, searchedTo };
  }

  for (let steps = 0; steps < stepsMax; steps++) {
    const rest = and(inList, within, after(from));
    const end = fits && (await spotBehind(db, table, rest, order, step - 1));
    const rows = await db
      .select()
      .from(listed)
      .where(and(rest, upTo(end), fits))
      .orderBy(...order)
      .limit(page.limit + 1 - found.length);
    found.push(...rows);
    if (!end || found.length > page.limit) return result(null);
    from = end;
  }
  return result(from ?? null);
}

function comparisons(table: Listed, isDown: boolean) {
  const compare = (sign: string) => (spot: Place | undefined) =>
    spot &&
    sql`(${table.createdAt}, ${table.id}) ${sql.raw(sign)} (${spot.createdAt}::timestamptz, ${spot.id}::uuid)`;
  return isDown
    ? { after: compare("<"), upTo: compare(">=") }
    : { after: compare(">"), upTo: compare("<=") };
}

/** The last row of the next step; undefined if fewer rows are left. */
async function spotBehind(
  db: Db,
  table: Listed,
  rest: SQL | undefined,
  order: SQL[],
  between: number,
) {
  const [spot] = await db
    .select({ id: table.id, createdAt: table.createdAt })
    .from(table)
    .where(rest)
    .orderBy(...order)
    .offset(between)
    .limit(1);
  return spot as Place | undefined;
}

async function spotOf(db: Db, table: Listed, inList: SQL, cursor: string | null) {
  if (cursor === null) return undefined;
  if (!isUuid(cursor)) throw invalidCursor();
  const [spot] = await db
    .select({ id: table.id, createdAt: table.createdAt })
    .from(table)
    .where(and(inList, eq(table.id, cursor)));
  if (!spot) throw invalidCursor();
  return spot as Place;
}
