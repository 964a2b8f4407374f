import type { LogPosition } from "./log-position.ts";

/** How one source of a log is read, newest first. */
export type Source<Row> = {
  /** The entry that is `count` behind a place, or behind the newest; null when there are not as many. */
  behind(from: LogPosition | null, count: number): Promise<LogPosition | null>;
  /** Those behind `from` that fit, no further than `upTo`. */
  read(range: {
    from: LogPosition | null;
    upTo: LogPosition | null;
    limit: number;
  }): Promise<Row[]>;
};

/** How many entries are looked at by one statement, and by how many statements for one page. */
export type Bounds = { step: number; stepsMax: number };

export type Walk<Row> = {
  rows: Row[];
  /** How it ended: with the rows that were asked for, at the end of the source, or within it. */
  stoppedAt: "enough" | "end" | LogPosition;
};

/**
 * Up to `limit` entries of a source that fit a filter which no index helps with. However rarely one fits,
 * the walk ends after `stepsMax` steps.
 */
export async function readInSteps<Row>(
  source: Source<Row>,
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
