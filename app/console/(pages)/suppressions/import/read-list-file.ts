import type { ParseStepResult, Parser } from "papaparse";

import {
  decodeTextFile,
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

export const SUPPRESSION_LINES_MAX = 100_000;
/** The server's limits. */
const CELL_MAX = 400;
const CELLS_MAX = 50;

/**
 * Reads the first 100,000 rows of a file with CSV, with one address per line, or with JSON as APIs return it.
 *
 * @throws Error if the file can't be read
 */
export async function readListFile(file: File | string): Promise<ListFile> {
  const text = decodeTextFile(new Uint8Array(await new Blob([file]).arrayBuffer()));
  if (isJson(text)) return fromJson(text);
  const { default: Papa } = await import("papaparse");
  const lines: TableRow[] = [];
  let [line, isCut] = [0, false];

  function step({ data }: ParseStepResult<string[]>, parser: Parser) {
    line += 1;
    if (data.every((cell) => cell.trim() === "")) return;
    isCut = lines.length >= SUPPRESSION_LINES_MAX;
    if (isCut) parser.abort();
    else lines.push({ line, cells: toCells(data) });
  }

  // An empty line at the end of a short file would count against the right delimiter.
  Papa.parse<string[]>(text.trimEnd(), { step, delimitersToGuess: DELIMITERS });
  return { first: lines[0]?.cells ?? [], lines, isCut };
}

const toCells = (data: string[]) =>
  data.slice(0, CELLS_MAX).map((cell) => cell.trim().slice(0, CELL_MAX));

function fromJson(text: string): ListFile {
  const { first, rows } = parseJsonTable(text);
  const lines = rows
    .slice(0, SUPPRESSION_LINES_MAX)
    .map(({ line, cells }) => ({ line, cells: toCells(cells) }));
  return { first, lines, isCut: rows.length > SUPPRESSION_LINES_MAX };
}
