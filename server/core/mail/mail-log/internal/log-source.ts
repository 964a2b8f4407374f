import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { timestampText, type LogPosition } from "./log-position.ts";
import type { Source } from "./read-in-steps.ts";

/** A table that is read along an index, newest first. Its alias is `l` throughout. */
export type LogTable = {
  /** The table with the joins that a page's rows need. */
  from: SQL;
  /** The table alone, to walk its index. */
  table: SQL;
  /** The entry's timestamp. */
  at: SQL;
  /** The index's order: by id, or by timestamp and then id. */
  order: "id" | "moment";
  columns: SQL;
  /** Conditions that the index supports. */
  within: SQL[];
  /** The lower bound of the search. `fits` must exclude older entries too. */
  since: string | undefined;
  /** Conditions that are checked for each entry. */
  fits: SQL[];
};

/** The source for a table. Its rows have `columns` and their position. */
export function logSource<Row extends LogPosition>(db: Db, log: LogTable): Source<Row> {
  const { at, order } = log;
  const newestFirst = order === "id" ? sql`l.id desc` : sql`${at} desc, l.id desc`;
  const key = order === "id" ? sql`l.id` : sql`(${at}, l.id)`;
  const keyOf = (place: LogPosition) =>
    order === "id"
      ? sql`${place.id}::bigint`
      : sql`(${place.at}::timestamptz, ${place.id}::bigint)`;
  const rest = (from: LogPosition | null) =>
    allOf([...log.within, ...(from ? [sql`${key} < ${keyOf(from)}`] : [])]);
  const since = log.since ? new Date(log.since).toISOString() : "";
  return {
    async behind(from, count) {
      const [place] = await db.execute<LogPosition>(sql`
        select ${timestampText(at)} as at, l.id::text as id from ${log.table} where ${rest(from)}
        order by ${newestFirst} offset ${count - 1} limit 1`);
      return place && place.at >= since ? place : null;
    },
    async read({ from, upTo, limit }) {
      const rows = await db.execute(sql`
        select ${timestampText(at)} as at, l.id::text as id, ${log.columns} from ${log.from}
        where ${rest(from)} and ${upTo ? sql`${key} >= ${keyOf(upTo)}` : sql`true`}
          and ${allOf(log.fits)}
        order by ${newestFirst} limit ${limit}`);
      return rows as unknown as Row[];
    },
  };
}

const allOf = (parts: SQL[]): SQL => (parts.length === 0 ? sql`true` : sql.join(parts, sql` and `));

/** Joins the company's name. The company may be deleted. */
export const joinCompany = (id: SQL): SQL =>
  sql`left join lateral (select name from companies where companies.id = ${id} limit 1) c on true`;
