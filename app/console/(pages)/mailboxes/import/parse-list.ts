import { parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";

import { type ColumnName, guessColumns } from "./columns.ts";

export type ParsedList = {
  /** Without the headings and empty rows. */
  rows: string[][];
  /** The rows' numbers in the file, as a spreadsheet shows them. */
  numbers: number[];
  columns: (ColumnName | null)[];
  hasHead: boolean;
};

export type ImportLine = {
  email: string;
  name: string;
  quota_mb?: number;
  unit?: string;
  aliases?: string[];
  status?: string;
};

/** `number` is for the reader; the server ignores it. */
export type NumberedLine = ImportLine & { number: number };

export const LINES_MAX = 5_000;

/** Parses text separated by commas, semicolons, or tabs; skips empty lines. */
export async function parseList(text: string): Promise<ParsedList> {
  const { default: Papa } = await import("papaparse");
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ""), {
    delimitersToGuess: [",", ";", "\t", "|"],
  });
  const filled = data
    .map((row, at) => ({ cells: row.map((cell) => cell.trim()), number: at + 1 }))
    .filter(({ cells }) => cells.some((cell) => cell !== ""));
  const rows = filled.map(({ cells }) => cells);
  const numbers = filled.map(({ number }) => number);
  const width = Math.max(0, ...rows.slice(0, 50).map((row) => row.length));
  const first = Array.from({ length: width }, (_, at) => rows[0]?.[at] ?? "");
  const { columns, hasHead } = guessColumns(first);
  const from = hasHead ? 1 : 0;
  return { rows: rows.slice(from), numbers: numbers.slice(from), columns, hasHead };
}

export function toImportLines(rows: string[][], columns: (ColumnName | null)[]): ImportLine[] {
  return rows.map((row) => toImportLine(row, columns));
}

/** Also as Microsoft 365 exports them, `SMTP:ann@example.com+smtp:a@example.com`. The uppercase one is the address itself. */
function splitAliases(text: string): string[] {
  if (!/\bsmtp:/i.test(text)) return text.split(/[\s;,]+/).filter(Boolean);
  return text
    .split(/(?:[+;,\s]+|^)(?=[a-z0-9]+:)/i)
    .filter((entry) => entry.startsWith("smtp:"))
    .map((entry) => entry.slice("smtp:".length).trim())
    .filter((alias) => !alias.toLowerCase().endsWith(".onmicrosoft.com"));
}

const joinName = (...parts: string[]) => parts.filter(Boolean).join(" ");

function toImportLine(row: string[], columns: (ColumnName | null)[]): ImportLine {
  const cell = (name: ColumnName) => row[columns.indexOf(name)] ?? "";
  const quota = parseSizeMb(cell("quota_mb"));
  const aliases = splitAliases(cell("aliases"));
  const unit = cell("unit");
  const status = cell("status");
  return {
    ...{ email: cell("email"), name: cell("name") || joinName(cell("given"), cell("family")) },
    ...(quota !== undefined && { quota_mb: quota }),
    ...(unit !== "" && { unit }),
    ...(aliases.length > 0 && { aliases }),
    ...(status !== "" && { status }),
  };
}
