import { type SQL, sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { timestampText, type LogPosition } from "./log-position.ts";
import type { Source } from "./read-in-steps.ts";

/** A table that is read along an index, newest first. The table is called `l` throughout. */
export type LogTable = {
  /** With what is joined for a page's rows. */
  from: SQL;
  /** The table alone: what its index is walked with. */
  table: SQL;
  /** When an entry was made. */
  at: SQL;
  /** What the index is ordered by: the id, or the moment and then the id. */
  order: "id" | "moment";
  columns: SQL;
  /** What the index narrows, from its newest end. */
  within: SQL[];
  /** Nothing before is wanted: the walk ends there, and `fits` says so of each entry. */
  since: string | undefined;
  /** What each entry is looked at for. */
  fits: SQL[];
};

/** The source that a table is. Its rows have `columns`, and their place. */
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

/** Joins the name of a company, which may be gone. */
export const joinCompany = (id: SQL): SQL =>
  sql`left join lateral (select name from companies where companies.id = ${id} limit 1) c on true`;
