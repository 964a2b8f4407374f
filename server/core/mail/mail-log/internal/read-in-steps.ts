import type { LogPosition } from "./log-position.ts";

/** A source of a log, read newest first. */
export type Source<Row> = {
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

export type Walk<Row> = {
  rows: Row[];
  /** With enough rows, at the end of the source, or at a position within it. */
  stoppedAt: "enough" | "end" | LogPosition;
};

/** Reads up to `limit` matching entries where no index supports the filter. Stops after `stepsMax` steps. */
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
