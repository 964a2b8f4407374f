import Papa from "papaparse";

import { type Download, streamDownload } from "./download.ts";

type Cell = string | number | boolean | null;

/** What spreadsheets need to read a file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * A CSV file (RFC 4180). Cells that a spreadsheet would run as formulas are escaped.
 *
 * @param pages rows, read while the file is sent
 */
export const csvDownload = (
  fileName: string,
  columns: string[],
  pages: AsyncIterable<Cell[][]>,
): Promise<Download> => streamDownload(fileName, "text/csv; charset=utf-8", toCsv(columns, pages));

async function* toCsv(columns: string[], pages: AsyncIterable<Cell[][]>) {
  let head = BYTE_ORDER_MARK + toLines([columns]);
  for await (const rows of pages) {
    yield head + toLines(rows);
    head = "";
  }
  if (head) yield head;
}

const toLines = (rows: Cell[][]) =>
  rows.length === 0 ? "" : `${Papa.unparse(rows, { escapeFormulae: true })}\r\n`;
