import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { CommandError } from "#server/cli/command-error.ts";

/** A table with its lines' numbers, as a spreadsheet shows them. For JSON, those of the entries. */
export type Rows = {
  /** The first row. Also among the rows, unless the file is JSON. */
  first: string[];
  rows: { line: number; cells: string[] }[];
};

/** @param file a path, or - for standard input */
export async function readText(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${(error as Error).message}`);
  }
}

/**
 * Parses CSV, one value per line, or JSON as APIs return it: an array of objects, also in a property of an object, or one object
 * per line. An object with an address is an entry itself, also if it has arrays. Skips empty lines.
 *
 * @throws CommandError for broken JSON
 */
export async function parseRows(content: string): Promise<Rows> {
  if (/^[\s\uFEFF]*[[{]/.test(content)) return fromJson(content.replace(/^\uFEFF/, ""));
  const { default: papa } = await import("papaparse");
  // An empty line at the end would count against the right delimiter.
  const { data } = papa.parse<string[]>(content.replace(/^\uFEFF/, "").trimEnd(), {
    delimitersToGuess: [",", ";", "\t", "|"],
  });
  const rows = data
    .map((row, at) => ({ line: at + 1, cells: row.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  return { first: rows[0]?.cells ?? [], rows };
}

function fromJson(content: string): Rows {
  const parsed = parseJson(content);
  const entries = listOf(parsed).filter(
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

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content
      .split("\n")
      .map((line, at) => ({ line: line.trim(), number: at + 1 }))
      .filter(({ line }) => line !== "")
      .map(({ line, number }) => {
        try {
          return JSON.parse(line) as unknown;
        } catch (error) {
          throw new CommandError(`Line ${number} isn't valid JSON: ${(error as Error).message}`);
        }
      });
  }
}
