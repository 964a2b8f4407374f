import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

import { invalidCursor, isUuid, type PageRequest } from "./page.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };

/**
 * Query parts for a page of a list sorted by (created_at, id), newest first. Read `limit + 1` rows, as
 * `toPage` expects.
 *
 * The query that reads the page also looks up the cursor. An unknown cursor yields an empty page, so call
 * `requireCursor` if a page is empty.
 *
 * @param inList which rows are in the list
 * @throws Refusal `invalid` for a cursor that isn't an id
 */
export function pageNewestFirst(db: Db, table: Listed, inList: SQL | undefined, page: PageRequest) {
  const cursor = page.after ?? page.before;
  if (cursor !== null && !isUuid(cursor)) throw invalidCursor();
  const isForward = page.before === null;
  const direction = isForward ? desc : asc;
  const atCursor = db
    .select({ createdAt: table.createdAt })
    .from(table)
    .where(and(inList, eq(table.id, cursor)));
  const beyond = sql`(${table.createdAt}, ${table.id}) ${sql.raw(isForward ? "<" : ">")} ((${atCursor}), ${cursor})`;
  return {
    where: and(inList, cursor === null ? undefined : beyond),
    orderBy: [direction(table.createdAt), direction(table.id)],
    /** @throws Refusal `invalid` if there is a cursor and it isn't in the list */
    async requireCursor(): Promise<void> {
      if (cursor !== null && (await atCursor).length === 0) throw invalidCursor();
    },
  };
}
