import { sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";
import { deleteInBatches } from "#server/db/batches.ts";

/** A day in UTC, and a domain with counts on it. */
export type CountedDay = { day: string; domain: string };

/** Counts of the day by domain, until they are reported. */
export type DailyCounts = {
  /** The next domains, in order, with counts before a day. */
  list: (
    db: Db,
    page: { before: string; after: CountedDay; limit: number },
  ) => Promise<CountedDay[]>;
  /** Deletes the counts of a domain and day, once they are reported. */
  delete: (db: Db, counted: CountedDay) => Promise<void>;
  /** Deletes counts that could not be reported for days. */
  deleteOld: (db: Db, before: string) => Promise<void>;
};

/** @param table with `day` and `domain` as the first columns of its key */
export const dailyCounts = (table: PgTable & { day: PgColumn; domain: PgColumn }): DailyCounts => ({
  list: (db, { before, after, limit }) =>
    db.execute<CountedDay>(sql`
        select distinct day::text as day, domain from ${table}
        where day < ${before}::date and (day, domain) > (${after.day}::date, ${after.domain})
        order by day, domain limit ${limit}`),
  async delete(db, { day, domain }) {
    await db.execute(sql`delete from ${table} where day = ${day}::date and domain = ${domain}`);
  },
  async deleteOld(db, before) {
    await deleteInBatches(db, table, {
      where: sql`${table.day} < ${before}::date`,
      oldestFirst: table.day,
    });
  },
});
