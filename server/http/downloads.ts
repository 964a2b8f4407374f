import { Readable } from "node:stream";

import Papa from "papaparse";

import { toFileName } from "#server/core/shared/mime/parameters.ts";
import type {
  DirectedPageRequest,
  Direction,
  Page,
  Place,
} from "#server/core/shared/paging/pages.ts";

/** A file that an endpoint answers with instead of JSON. Text is streamed, so its size isn't limited. */
export class Download {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Buffer | Readable;

  /** @param content parts of a text, read as fast as the client takes them */
  constructor(fileName: string, contentType: string, content: Buffer | AsyncIterable<string>) {
    this.fileName = toFileName(fileName);
    this.contentType = contentType;
    this.content = Buffer.isBuffer(content)
      ? content
      : Readable.from(content, { objectMode: false });
  }

  /** Makes browsers save the file instead of opening it (RFC 6266); other characters than ASCII per RFC 8187. */
  headers(headers: Headers): Headers {
    const ascii = this.fileName.replace(/[^\x20-\x7e]|["\\%/]/g, "_");
    const encoded = encodeURIComponent(this.fileName.toWellFormed()).replace(
      /['()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    headers.set("content-type", this.contentType);
    headers.set(
      "content-disposition",
      `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    );
    headers.set("cache-control", "no-store");
    headers.set("x-content-type-options", "nosniff");
    return headers;
  }
}

/**
 * A file that is written while it is sent. Its first part is read before the response begins, so that an error becomes
 * an error response.
 */
export async function streamDownload(
  fileName: string,
  contentType: string,
  parts: AsyncGenerator<string>,
): Promise<Download> {
  const first = await parts.next();
  async function* all() {
    if (first.done) return;
    yield first.value;
    yield* parts;
  }
  return new Download(fileName, contentType, all());
}

type Cell = string | number | boolean | null;

/** What spreadsheets need to read a file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** The columns of a CSV file: headers, and how to get the value from a row. */
type Columns<Row> = Record<string, (row: Row) => Cell>;

/**
 * A CSV file (RFC 4180). Cells that a spreadsheet would run as formulas are escaped.
 *
 * @param pages rows, read while the file is sent
 */
export const csvDownload = <Row>(
  fileName: string,
  pages: AsyncIterable<Row[]>,
  columns: Columns<Row>,
): Promise<Download> => streamDownload(fileName, "text/csv; charset=utf-8", toCsv(pages, columns));

async function* toCsv<Row>(pages: AsyncIterable<Row[]>, columns: Columns<Row>) {
  const cells = Object.values(columns);
  let head = BYTE_ORDER_MARK + toLines([Object.keys(columns)]);
  for await (const rows of pages) {
    yield head + toLines(rows.map((row) => cells.map((cellOf) => cellOf(row))));
    head = "";
  }
  if (head) yield head;
}

const toLines = (rows: Cell[][]) =>
  rows.length === 0 ? "" : `${Papa.unparse(rows, { escapeFormulae: true })}\r\n`;

const ROWS_PER_READ = 500;

/**
 * All rows of a list sorted by creation, read page by page for an export. Rows that are deleted meanwhile are left out,
 * even the one that the next page continues from.
 *
 * @param read reads a page, which may be incomplete if the search stopped early
 */
export async function* exportPages<Row extends Place>(
  read: (page: DirectedPageRequest) => Promise<Page<Row> & { searchedTo: Place | null }>,
  direction: Direction,
): AsyncGenerator<Row[]> {
  let start: Place | null = null;
  do {
    const page = await read({ limit: ROWS_PER_READ, after: null, before: null, direction, start });
    yield page.rows;
    start = page.searchedTo ?? (page.hasMore ? page.rows.at(-1)! : null);
  } while (start !== null);
}
