import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

// 200,000 entries of each source take Postgres about half a second.
export const BOUNDS: Bounds = { step: 20_000, stepsMax: 10 };

export type LogPage<Row> = {
  rows: Row[];
  /** The cursor of the next page; null at the end. */
  next: string | null;
  /** The search stopped at its limit; there may be more results. */
  isCutShort: boolean;
};

/** How far each source was read: to a position, or to its end. */
const Places = z.record(
  z.string(),
  z.union([
    z.literal("end"),
    z.strictObject({
      at: z.iso.datetime({ precision: 6 }).refine((text) => !text.startsWith("0000")),
      id: z.string().regex(/^\d{1,18}$/),
    }),
  ]),
);

type Places = z.infer<typeof Places>;

/**
 * A page of several sources merged into one log, newest first. If the search of a source with few matches stops
 * early, the page ends there.
 *
 * @param before `next` of the previous page
 * @throws Refusal `invalid` for an invalid cursor
 */
export async function mergeNewest<Row extends LogPosition>(
  sources: Record<string, LogReader<Row>>,
  { limit, before }: { limit: number; before: string | null },
  bounds: Bounds,
): Promise<LogPage<Row>> {
  const places = readPlaces(before);
  const walks = await Promise.all(
    Object.entries(sources)
      .filter(([name]) => places[name] !== "end")
      .map(async ([name, source]) => {
        const from = (places[name] as LogPosition | undefined) ?? null;
        return { name, ...(await readInSteps(source, { from, limit: limit + 1 }, bounds)) };
      }),
  );
  const rows = merged(walks, limit);
  for (const { name, rows: own, stoppedAt } of walks) {
    const taken = own.filter((row) => rows.includes(row));
    const last = taken.at(-1);
    if (last) places[name] = { at: last.at, id: last.id };
    if (taken.length === own.length && stoppedAt !== "enough") places[name] = stoppedAt;
  }
  const isOver = Object.keys(sources).every((name) => places[name] === "end");
  return {
    rows,
    next: isOver ? null : Buffer.from(JSON.stringify(places)).toString("base64url"),
    isCutShort: !isOver && rows.length < limit,
  };
}

function merged<Row extends LogPosition>(walks: Walk<Row>[], limit: number): Row[] {
  const left = walks.map(({ rows }) => [...rows]);
  const horizon = walks.map(knownBackTo).reduce((a, b) => (a > b ? a : b), "");
  const rows: Row[] = [];
  while (rows.length < limit) {
    const newest = left
      .filter((each) => each.length > 0)
      .reduce<Row[] | null>(
        (best, each) => (best && best[0]!.at >= each[0]!.at ? best : each),
        null,
      );
    if (!newest || newest[0]!.at < horizon) break;
    rows.push(newest.shift()!);
  }
  return rows;
}

/** The timestamp back to which a source was read completely; "" if nothing older matters. */
function knownBackTo<Row extends LogPosition>({ rows, stoppedAt }: Walk<Row>): string {
  if (typeof stoppedAt === "string") return "";
  const last = rows.at(-1)?.at;
  return last && last < stoppedAt.at ? last : stoppedAt.at;
}

function readPlaces(before: string | null): Places {
  if (before === null) return {};
  try {
    return Places.parse(JSON.parse(Buffer.from(before, "base64url").toString()));
  } catch {
    throw new Refusal("invalid", "before: must be the `next` cursor from an earlier response");
  }
}

/** A source of a log, read newest first. */
export type LogReader<Row> = {
  /** The position `count` entries before another, or before the newest; null if there are fewer entries. */
  behind(from: LogPosition | null, count: number): Promise<LogPosition | null>;
  /** Matching entries older than `from`, down to `upTo`. */
  read(range: {
    from: LogPosition | null;
    upTo: LogPosition | null;
    limit: number;
  }): Promise<Row[]>;
};

/** The number of entries per statement, and of statements per page. */
export type Bounds = { step: number; stepsMax: number };

type Walk<Row> = {
  rows: Row[];
  /** With enough rows, at the end of the source, or at a position within it. */
  stoppedAt: "enough" | "end" | LogPosition;
};

/** Reads up to `limit` matching entries where no index supports the filter. Stops after `stepsMax` steps. */
async function readInSteps<Row>(
  source: LogReader<Row>,
  { from, limit }: { from: LogPosition | null; limit: number },
  { step, stepsMax }: Bounds,
): Promise<Walk<Row>> {
  const rows: Row[] = [];
  let at = from;
  for (let steps = 0; steps < stepsMax; steps++) {
    const upTo = await source.behind(at, step);
    rows.push(...(await source.read({ from: at, upTo, limit: limit - rows.length })));
    if (rows.length >= limit) return { rows, stoppedAt: "enough" };
    if (upTo === null) return { rows, stoppedAt: "end" };
    at = upTo;
  }
  return { rows, stoppedAt: at! };
}

/**
 * Finds the first id since a moment by binary search, in about 30 index lookups. For tables that are written roughly
 * in the order of `created_at` and have an index on id only.
 *
 * @param moment RFC 3339
 * @returns one past the last id if there is no entry since then
 */
export async function firstIdSince(db: Db, table: SQL, moment: string): Promise<string> {
  const [row] = await db.execute<{ id: string }>(sql`
    with recursive search(low, high) as (
      select coalesce((select min(id) from ${table}), 0), coalesce((select max(id) from ${table}), 0) + 1
      union all
      select case when is_older then middle + 1 else low end, case when is_older then high else middle end
      from (select low, high, (low + high) / 2 as middle from search where low < high) s,
        lateral (select coalesce((select created_at < ${moment}::timestamptz from ${table}
          where id >= middle order by id limit 1), false) as is_older) found
    )
    select low::text as id from search order by high - low limit 1`);
  return row!.id;
}

/** A position in a log: an entry's timestamp and id, as text. */
export type LogPosition = { at: string; id: string };

/** The timestamp as text that sorts in the order of time. */
const timestampText = (column: SQL): SQL =>
  sql`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Half-open: `to` is exclusive. RFC 3339. */
export type TimeRange = { from?: string | undefined; to?: string | undefined };

export const isBefore = (at: SQL, moment: string | undefined): SQL[] =>
  moment ? [sql`${at} < ${moment}::timestamptz`] : [];

export const isSince = (at: SQL, moment: string | undefined): SQL[] =>
  moment ? [sql`${at} >= ${moment}::timestamptz`] : [];

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
export function logSource<Row extends LogPosition>(db: Db, log: LogTable): LogReader<Row> {
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
