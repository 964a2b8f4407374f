export const COLUMNS = {
  email: "Email address",
  name: "Name",
  given: "First name",
  family: "Last name",
  quotaMb: "Storage (MB)",
  unit: "Unit",
  aliases: "Aliases",
  status: "Status",
} as const;

export type ColumnName = keyof typeof COLUMNS;

/** The order of lists without headings. */
export const DEFAULT_COLUMNS: ColumnName[] = ["email", "name", "quotaMb", "unit", "aliases"];

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
  status: ["status"],
};

/** @returns null for an unknown heading */
function columnNamed(heading: string): ColumnName | null {
  const plain = heading.toLowerCase().replaceAll(/\[.*?\]|[^a-z]/g, "");
  const found = Object.entries(SPELLINGS).find(([, spellings]) => spellings.includes(plain));
  return found ? (found[0] as ColumnName) : null;
}

/** Matches columns by heading, or by the default order if there are no headings. */
export function guessColumns(first: string[]): {
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
