import { parseSizeMb } from "#app/console/(pages)/mailboxes/labels.ts";
import { parseTable, type Table } from "#server/universal/imports/parse-table.ts";
import {
  joinName,
  readUsers,
  type SkippedUser,
  splitAddresses,
  userListFormat,
} from "#server/universal/imports/read-users.ts";

export type ParsedList = {
  /** Without the headings and empty rows. */
  rows: string[][];
  /** The rows' numbers in the file, as a spreadsheet shows them. */
  numbers: number[];
  columns: (ColumnName | null)[];
  hasHead: boolean;
  /** The system that exported the list, and the users that aren't imported; null for other lists. */
  exported: { from: string; skipped: SkippedUser[] } | null;
};

export type MailboxLine = {
  email: string;
  name: string;
  quotaMb?: number;
  unit?: string;
  aliases?: string[];
  instructionsTo?: string;
  status?: string;
};

/** `number` is for the reader; the server ignores it. */
export type NumberedLine = MailboxLine & { number: number };

export const LINES_MAX = 5_000;

/**
 * Parses exports of other systems, JSON, and text separated by commas, semicolons, or tabs; skips empty lines.
 *
 * @throws SyntaxError for broken JSON
 */
export async function parseList(text: string): Promise<ParsedList> {
  const table = await parseTable(text);
  const format = userListFormat(table);
  return format === null || format === "CSV" ? parseOwn(table) : parseExport(table, format);
}

function parseOwn({ first, rows }: Table): ParsedList {
  const width = Math.max(0, first.length, ...rows.slice(0, 50).map(({ cells }) => cells.length));
  const padded = Array.from({ length: width }, (_, at) => first[at] ?? "");
  const { columns, hasHead } = guessColumns(padded);
  // The keys of JSON aren't among the rows.
  const lines = hasHead && rows[0]?.cells === first ? rows.slice(1) : rows;
  return {
    rows: lines.map(({ cells }) => cells),
    numbers: lines.map(({ line }) => line),
    columns,
    hasHead,
    exported: null,
  };
}

function parseExport(table: Table, from: string): ParsedList {
  const { users, skipped } = readUsers([table]);
  return {
    rows: users.map(({ email, name, quotaMb, unit, aliases }) => [
      email,
      name,
      quotaMb === undefined ? "" : String(quotaMb),
      unit,
      aliases.join(" "),
    ]),
    numbers: users.map(({ line }) => line),
    columns: DEFAULT_COLUMNS,
    hasHead: true,
    exported: { from, skipped },
  };
}

export const toImportLines = (
  { rows, numbers }: Pick<ParsedList, "rows" | "numbers">,
  columns: (ColumnName | null)[],
): NumberedLine[] =>
  rows.map((row, at) => ({ ...toImportLine(row, columns), number: numbers[at]! }));

function toImportLine(row: string[], columns: (ColumnName | null)[]): MailboxLine {
  const cell = (name: ColumnName) => row[columns.indexOf(name)] ?? "";
  const quota = parseSizeMb(cell("quotaMb"));
  const aliases = splitAddresses(cell("aliases"));
  const unit = cell("unit");
  const instructionsTo = cell("instructionsTo").trim();
  const status = cell("status");
  return {
    email: cell("email"),
    name: cell("name") || joinName(cell("given"), cell("family")),
    ...(quota !== undefined && { quotaMb: quota }),
    ...(unit !== "" && { unit }),
    ...(aliases.length > 0 && { aliases }),
    ...(instructionsTo !== "" && { instructionsTo }),
    ...(status !== "" && { status }),
  };
}

export const COLUMNS = {
  email: "Email address",
  name: "Name",
  given: "First name",
  family: "Last name",
  quotaMb: "Storage (MB)",
  unit: "Unit",
  aliases: "Aliases",
  instructionsTo: "Private address",
  status: "Status",
} as const;

export type ColumnName = keyof typeof COLUMNS;

/** The order of lists without headings. */
const DEFAULT_COLUMNS: ColumnName[] = ["email", "name", "quotaMb", "unit", "aliases"];

/** Headings used in other systems' exports. */
const SPELLINGS: Record<ColumnName, string[]> = {
  email: ["email", "emailaddress", "address", "mail", "username", "userprincipalname", "mailbox"],
  name: ["name", "fullname", "displayname", "person"],
  given: ["firstname", "givenname", "given"],
  family: ["lastname", "surname", "familyname", "family"],
  quotaMb: [
    "quotamb",
    "quota",
    "size",
    "sizemb",
    "mailboxquota",
    "storagelimit",
    "storagelimitinmb",
    "storagemb",
  ],
  unit: [
    "unit",
    "orgunit",
    "orgunitpath",
    "organizationalunit",
    "organisationalunit",
    "department",
    "ou",
  ],
  aliases: ["aliases", "alias", "otheraddresses"],
  instructionsTo: ["privateaddress", "privateemail"],
  status: ["status"],
};

/** @returns null for an unknown heading */
function columnNamed(heading: string): ColumnName | null {
  const plain = heading.toLowerCase().replaceAll(/\[.*?\]|[^a-z]/g, "");
  const found = Object.entries(SPELLINGS).find(([, spellings]) => spellings.includes(plain));
  return found ? (found[0] as ColumnName) : null;
}

/** Matches columns by heading, or by the default order if there are no headings. */
function guessColumns(first: string[]): {
  columns: (ColumnName | null)[];
  hasHead: boolean;
} {
  const named = first.map(columnNamed);
  const hasHead = named.includes("email") && !first.some((cell) => cell.includes("@"));
  if (hasHead) return { columns: withoutRepeats(named), hasHead };
  return { columns: first.map((_, at) => DEFAULT_COLUMNS[at] ?? null), hasHead };
}

const withoutRepeats = (columns: (ColumnName | null)[]) =>
  columns.map((column, at) => (columns.indexOf(column) === at ? column : null));
