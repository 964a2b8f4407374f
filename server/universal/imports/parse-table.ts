import { ComplexJson, parseJson } from "#server/universal/parse-json.ts";

/** A row that isn't empty. `line` is its number, as a spreadsheet shows it; for JSON, the entry's. */
export type TableRow = { line: number; cells: string[] };

export type Table = {
  /** The first row. Also among the rows, unless the file is JSON. */
  first: string[];
  rows: TableRow[];
};

/** Of CSV files, in the order in which they are tried. */
export const DELIMITERS = [",", ";", "\t", "|"];

/**
 * Parses CSV, one value per line, or JSON as APIs return it: an array of objects, also in a property of an object, or one object
 * per line. An object with an address is an entry itself, also if it has arrays. Skips empty lines.
 *
 * @throws SyntaxError for broken JSON
 */
export async function parseTable(content: string): Promise<Table> {
  const text = content.replace(/^\uFEFF/, "");
  if (isJson(text)) return parseJsonTable(text);
  const { default: papa } = await import("papaparse");
  // An empty line at the end would count against the right delimiter.
  const { data } = papa.parse<string[]>(text.trimEnd(), { delimitersToGuess: DELIMITERS });
  const rows = data
    .map((row, at) => ({ line: at + 1, cells: row.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  return { first: rows[0]?.cells ?? [], rows };
}

type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** The text of a file, without a byte order mark. */
export const decodeTextFile = (file: Uint8Array): string =>
  new TextDecoder(encodingOf(file)).decode(file);

/**
 * Detects the encoding of a whole text file: from its byte order mark, or else UTF-8 if it is valid, or else Windows-1252. Excel
 * saves "Unicode text" as UTF-16, and "CSV" in the country's Windows encoding, which is Windows-1252 in Western Europe and America.
 */
export function encodingOf(file: Uint8Array): Encoding {
  if (file[0] === 0xff && file[1] === 0xfe) return "utf-16le";
  if (file[0] === 0xfe && file[1] === 0xff) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(file);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** Whether a file that starts like this is JSON. */
export const isJson = (start: string): boolean => /^[\s\uFEFF]*[[{]/.test(start);

/** @throws SyntaxError with the line that isn't JSON */
export function parseJsonTable(content: string): Table {
  const entries = listOf(readJson(content.replace(/^\uFEFF/, ""))).filter(
    (entry): entry is Record<string, unknown> => typeof entry === "object" && entry !== null,
  );
  const first = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const rows = entries.map((entry, at) => ({
    line: at + 1,
    cells: first.map((name) => toText(entry[name])),
  }));
  return { first, rows };
}

function listOf(parsed: unknown): unknown[] {
  if (Array.isArray(parsed)) return parsed;
  const values = Object.values(parsed as object) as unknown[];
  const isEntry = values.some((value) => typeof value === "string" && ADDRESS.test(value));
  return (isEntry ? undefined : values.find((value) => Array.isArray(value))) ?? [parsed];
}

/** Excludes URLs: API responses have next-page links that contain addresses. */
const ADDRESS = /^[^\s/]+@[^\s/]+$/;

/** Numbers and lists as in JSON; "" for null and missing values. */
function toText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** Only the nesting is limited: files can have any number of rows. */
function readJson(content: string): unknown {
  try {
    return parseJson(content, { valuesMax: Infinity });
  } catch (error) {
    if (error instanceof ComplexJson) throw error;
    return content
      .split("\n")
      .map((line, at) => ({ line: line.trim(), number: at + 1 }))
      .filter(({ line }) => line !== "")
      .map(({ line, number }) => {
        try {
          return parseJson(line);
        } catch (error) {
          throw new SyntaxError(`Line ${number} isn't valid JSON: ${(error as Error).message}`);
        }
      });
  }
}

/**
 * Normalizes a column's heading, which exports write differently: `EmailAddress` and `Email Address [Required]` become
 * `email_address`.
 */
export const plainHeading = (heading: string): string =>
  heading
    .replaceAll(/\[.*?\]/g, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "_")
    .replaceAll(/^_|_$/g, "");
