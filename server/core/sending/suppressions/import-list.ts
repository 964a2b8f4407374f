import type { Context } from "#server/core/shared/context.ts";

import { addSuppressionsInBulk, type NewSuppression } from "./add-in-bulk.ts";
import { filterSuppressed } from "./filter-suppressed.ts";
import { type ListFormat, readRow, recognizeList } from "./read-list.ts";

/** Rows of a list, with the first one, which may have headings. */
export type ListRows = { fileName: string; first: string[]; rows: string[][] };

/** `header` is a row with headings. */
export type RowResult =
  | { outcome: "header" }
  | { outcome: "invalid"; problem: string; written: string }
  | { outcome: "new" | "already"; entry: NewSuppression };

/** What importing each row would do, without changing anything. A later row with the same address is `new` too. */
export async function checkList(
  ctx: Context,
  list: ListRows,
): Promise<{ format: ListFormat; results: RowResult[] }> {
  const { format, rows } = readList(ctx, list);
  const suppressed = await filterSuppressed(
    ctx,
    entriesOf(rows).map(({ email }) => email),
  );
  const results = rows.map((row): RowResult => {
    if (row === null) return { outcome: "header" };
    if ("problem" in row) return { outcome: "invalid", ...row };
    const { entry } = row;
    return { outcome: suppressed.has(entry.email) ? "already" : "new", entry };
  });
  return { format, results };
}

/**
 * Adds the addresses of a list with their reasons and dates. Addresses that are already suppressed stay as they are, so a
 * repeated import changes nothing.
 *
 * @returns how many were added
 */
export async function importList(ctx: Context, list: ListRows): Promise<number> {
  const { rows } = readList(ctx, list);
  return (await addSuppressionsInBulk(ctx, entriesOf(rows))).size;
}

function readList(ctx: Context, { fileName, first, rows }: ListRows) {
  const format = recognizeList(first, fileName);
  const now = ctx.now();
  return { format, rows: rows.map((cells) => readRow(cells, format, now)) };
}

const entriesOf = (rows: ReturnType<typeof readRow>[]): NewSuppression[] =>
  rows.flatMap((row) => (row && "entry" in row ? [row.entry] : []));
