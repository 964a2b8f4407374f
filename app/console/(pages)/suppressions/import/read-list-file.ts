import type { ParseStepResult, Parser } from "papaparse";

/** A row of the file that isn't empty. */
export type FileLine = { line: number; cells: string[] };

export type ListFile = {
  /** The first row, which may have headings. Also among the lines, unless the file is JSON. */
  first: string[];
  lines: FileLine[];
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
  if (/^[\s\uFEFF]*[[{]/.test(start))
    return fromJson(typeof file === "string" ? file : await file.text());
  const { default: Papa } = await import("papaparse");
  return new Promise((resolve, reject) => {
    const lines: FileLine[] = [];
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
      delimitersToGuess: [",", ";", "\t", "|"],
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

/** An array of objects, also in a property of an object, or one object per line. */
function fromJson(text: string): ListFile {
  const entries = parseEntries(text);
  const first = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const lines = entries.slice(0, LINES_MAX).map((entry, at) => ({
    line: at + 1,
    cells: toCells(first.map((name) => toText(entry[name]))),
  }));
  return { first, lines, isCut: entries.length > LINES_MAX };
}

/** Numbers and lists as in JSON; "" for null and missing values. */
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

const parseEntries = (text: string) =>
  listOf(parseJson(text)).filter(
    (entry): entry is Record<string, unknown> => typeof entry === "object" && entry !== null,
  );

/** An object with an address is an entry itself, even if it has arrays. */
function listOf(parsed: unknown): unknown[] {
  if (Array.isArray(parsed)) return parsed;
  const values = Object.values(parsed as object) as unknown[];
  const isEntry = values.some((value) => typeof value === "string" && ADDRESS.test(value));
  return (isEntry ? undefined : values.find((value) => Array.isArray(value))) ?? [parsed];
}

/** Excludes URLs: API responses have next-page links that contain addresses. */
const ADDRESS = /^[^\s/]+@[^\s/]+$/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as unknown);
  }
}
