import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";

import type { LogPosition } from "./log-position.ts";
import { type Bounds, readInSteps, type Source, type Walk } from "./read-in-steps.ts";

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
  sources: Record<string, Source<Row>>,
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
    throw new Refusal("invalid", "before: must be the `next` of a page");
  }
}
