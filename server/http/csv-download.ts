import Papa from "papaparse";

import { Download } from "./download.ts";

type Cell = string | number | boolean | null;

/** What spreadsheets need to read a file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * A CSV file (RFC 4180). Cells that a spreadsheet would run as formulas are escaped.
 *
 * @param pages rows, read while the file is sent
 */
export async function csvDownload(
  fileName: string,
  columns: string[],
  pages: AsyncGenerator<Cell[][]>,
): Promise<Download> {
  // The first page is read before the response begins, so that an error becomes an error response.
  const first = await pages.next();
  async function* lines() {
    yield BYTE_ORDER_MARK + toLines([columns]);
    if (first.done) return;
    yield toLines(first.value);
    for await (const rows of pages) yield toLines(rows);
  }
  return new Download(fileName, "text/csv; charset=utf-8", lines());
}

const toLines = (rows: Cell[][]) =>
  rows.length === 0 ? "" : `${Papa.unparse(rows, { escapeFormulae: true })}\r\n`;
