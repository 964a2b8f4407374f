import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

import { invalidCursor, isUuid, type PageRequest } from "./page.ts";

type Listed = PgTable & { id: PgColumn; createdAt: PgColumn };

/**
 * How to read a page of a list that is newest first, by (created_at, id), `inList` saying which rows
 * of the table the list has. Read `limit + 1` rows, as `pageOf` wants them.
 *
 * The cursor's place is looked up by the statement that reads the page. A cursor that is not in the
 * list reads as an empty page, so `requireCursor` must be asked when a page is empty.
 *
 * @throws Refusal `invalid` for a cursor that is no id
 */
export function newestFirst(db: Db, table: Listed, inList: SQL | undefined, page: PageRequest) {
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
    /** @throws Refusal `invalid` when there is a cursor and it is not in the list */
    async requireCursor(): Promise<void> {
      if (cursor !== null && (await atCursor).length === 0) throw invalidCursor();
    },
  };
}
