import type { ParseStepResult, Parser } from "papaparse";

import {
  DELIMITERS,
  isJson,
  parseJsonTable,
  type TableRow,
} from "#server/universal/imports/parse-table.ts";

export type ListFile = {
  /** The first row, which may have headings. Also among the lines, unless the file is JSON. */
  first: string[];
  lines: TableRow[];
  /** Whether the file has more lines. */
  isCut: boolean;
};

export const LINES_MAX = 100_000;
/** Small enough to keep the page responsive between chunks. */
const CHUNK_BYTES = 256 * 1024;
/** The server's limits. */
const CELL_MAX = 400;
const CELLS_MAX = 50;

/**
 * Reads the first 100,000 rows of a file with CSV, with one address per line, or with JSON as APIs return it, without
 * blocking the page.
 *
 * @throws Error if the file can't be read
 */
export async function readListFile(file: File | string): Promise<ListFile> {
  const start = typeof file === "string" ? file : await file.slice(0, CHUNK_BYTES).text();
  if (isJson(start)) return fromJson(typeof file === "string" ? file : await file.text());
  const { default: Papa } = await import("papaparse");
  return new Promise((resolve, reject) => {
    const lines: TableRow[] = [];
    let [line, isCut] = [0, false];

    function step({ data }: ParseStepResult<string[]>, parser: Parser) {
      line += 1;
      if (data.every((cell) => cell.trim() === "")) return;
      isCut = lines.length >= LINES_MAX;
      if (isCut) parser.abort();
      else lines.push({ line, cells: toCells(data) });
    }

    const config = {
      step,
      delimitersToGuess: DELIMITERS,
      complete: () => resolve({ first: lines[0]?.cells ?? [], lines, isCut }),
    };
    // An empty line at the end of a short file would count against the right delimiter.
    if (typeof file === "string" || file.size <= CHUNK_BYTES)
      Papa.parse<string[]>(start.trimEnd(), config);
    else Papa.parse<string[]>(file, { ...config, chunkSize: CHUNK_BYTES, error: reject });
  });
}

const toCells = (data: string[]) =>
  data.slice(0, CELLS_MAX).map((cell) => cell.trim().slice(0, CELL_MAX));

function fromJson(text: string): ListFile {
  const { first, rows } = parseJsonTable(text);
  const lines = rows
    .slice(0, LINES_MAX)
    .map(({ line, cells }) => ({ line, cells: toCells(cells) }));
  return { first, lines, isCut: rows.length > LINES_MAX };
}
