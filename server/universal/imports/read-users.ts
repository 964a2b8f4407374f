import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

import { plainHeading, type Table } from "./parse-table.ts";

/** A user of another system, as written there. */
export type GivenUser = {
  /** Line of the file, for messages. */
  line: number;
  email: string;
  name: string;
  quotaMb: number | undefined;
  /** Path from below the root; "" for none. */
  unit: string;
  aliases: string[];
};

export type SkippedUser = { line: number; address: string; problem: string };

export type UserList = { format: string; users: GivenUser[]; skipped: SkippedUser[] };

/** A row by its headings, in the form of `plainHeading`. Missing cells are "". */
type Row = { line: number; cell: (heading: string) => string };

type Format = {
  name: string;
  /** Headings that identify the format. */
  head: string[];
  /** Why a user isn't imported; null for those that are. */
  problem?: (row: Row) => string | null;
  read: (row: Row) => Omit<GivenUser, "line">;
};

const FORMATS: Format[] = [
  {
    name: "Google Workspace",
    head: ["first_name", "last_name", "email_address", "org_unit_path"],
    problem: ({ cell }) =>
      isInactiveStatus(cell("status")) ? "Suspended or archived in Google Workspace" : null,
    read: ({ cell }) => ({
      email: cell("email_address"),
      name: joinName(cell("first_name"), cell("last_name")),
      quotaMb: undefined,
      unit: cell("org_unit_path"),
      aliases: splitAddresses(cell("aliases") || cell("email_aliases")),
    }),
  },
  {
    name: "Microsoft 365",
    head: ["user_principal_name", "display_name"],
    problem: ({ cell }) =>
      cell("user_principal_name").includes("#EXT#") ? "A guest of another organization" : null,
    read: ({ cell }) => {
      const proxies = readProxyAddresses(cell("proxy_addresses"));
      const email = proxies.primary ?? cell("user_principal_name");
      return {
        email,
        quotaMb: undefined,
        unit: "",
        name: cell("display_name") || joinName(cell("first_name"), cell("last_name")),
        aliases: proxies.others,
      };
    },
  },
  {
    name: "mailcow",
    head: ["username", "name", "quota", "local_part"],
    problem: ({ cell }) => (cell("active") === "0" ? "Inactive in mailcow" : null),
    read: ({ cell }) => ({
      email: cell("username"),
      name: cell("name"),
      unit: "",
      aliases: [],
      quotaMb: readQuota(cell("quota")),
    }),
  },
  {
    name: "CSV",
    head: ["email", "name"],
    read: ({ cell }) => ({
      email: cell("email"),
      name: cell("name"),
      unit: cell("unit"),
      quotaMb: cell("quota_mb") === "" ? undefined : Number(cell("quota_mb").replaceAll(",", "")),
      aliases: splitAddresses(cell("aliases")),
    }),
  },
];

/** The aliases of mailcow, which are a list of their own. */
const ALIASES = ["address", "goto"];

/**
 * Reads users and aliases from files of known formats. Aliases are added to the users of any of the files.
 */
export function readUsers(files: Table[]): UserList {
  const list: UserList = { format: "", users: [], skipped: [] };
  for (const file of files) {
    const format = formatOf(file);
    if (format) for (const row of rowsOf(file)) readRow(list, row, format);
  }
  for (const file of files.filter(isAliasList)) for (const row of rowsOf(file)) addAlias(list, row);
  const formats = new Set(files.map(userListFormat).filter((name) => name !== null));
  return { ...list, format: [...formats].join(", ") };
}

/** @returns the name of the system that exported the list, `CSV` for a list with our columns, or null for any other file */
export const userListFormat = (file: Table): string | null =>
  formatOf(file)?.name ?? (isAliasList(file) ? "mailcow" : null);

function formatOf({ first }: Table): Format | undefined {
  const headings = first.map(plainHeading);
  return FORMATS.find(({ head }) => head.every((name) => headings.includes(name)));
}

const isAliasList = ({ first }: Table) =>
  ALIASES.every((name) => first.map(plainHeading).includes(name));

function rowsOf({ first, rows }: Table): Row[] {
  const head = first.map(plainHeading);
  return (
    rows
      // The headings of CSV.
      .filter(({ cells }) => cells.join("\0") !== first.join("\0"))
      .map(({ line, cells }) => ({
        line,
        cell: (heading) => cells[head.indexOf(heading)]?.trim() ?? "",
      }))
  );
}

function readRow({ users, skipped }: UserList, row: Row, { read, problem }: Format): void {
  const user = { line: row.line, ...read(row) };
  const found = problem?.(row) ?? null;
  if (found === null) users.push(user);
  else skipped.push({ line: row.line, address: user.email, problem: found });
}

/** Adds an alias to a mailbox in the list, or to one that exists already. */
function addAlias({ users, skipped }: UserList, { line, cell }: Row): void {
  const address = cell("address");
  const targets = cell("goto").toLowerCase().split(",").filter(Boolean);
  const [mailbox] = targets;
  const skip = (problem: string) => skipped.push({ line, address, problem });
  if (mailbox === address.toLowerCase()) return;
  if (cell("active") === "0") skip("Inactive in mailcow");
  else if (address.startsWith("@")) skip("A catch-all. Add it in the console");
  else if (mailbox === undefined || targets.length > 1)
    skip("Delivers to several addresses. Create a group instead");
  else if (mailbox.endsWith("@localhost")) skip("Discards its mail in mailcow");
  else {
    const owner = users.find(({ email }) => email.toLowerCase() === mailbox);
    if (owner) owner.aliases.push(address);
    else
      users.push({
        line,
        email: mailbox,
        name: "",
        quotaMb: undefined,
        unit: "",
        aliases: [address],
      });
  }
}

/** A full name of the parts that aren't empty. */
export const joinName = (...parts: string[]) => parts.filter(Boolean).join(" ");

/** Splits addresses at whitespace, commas and semicolons. */
export const splitAddresses = (text: string) => text.split(/[\s;,]+/).filter(Boolean);

/**
 * `SMTP:ann@example.com+smtp:a@example.com+SPO:…`: uppercase is the main address. A plus can be part of an address.
 * Skips addresses in `onmicrosoft.com`, which stay with Microsoft.
 */
function readProxyAddresses(text: string): { primary: string | null; others: string[] } {
  const entries = text.split(/(?:[+;,\s]+|^)(?=[a-z0-9]+:)/i).filter(Boolean);
  const ofKind = (kind: string) =>
    entries
      .filter((entry) => entry.startsWith(kind))
      .map((entry) => entry.slice(kind.length).trim())
      .filter((address) => !address.toLowerCase().endsWith(".onmicrosoft.com"));
  return { primary: ofKind("SMTP:")[0] ?? null, others: ofKind("smtp:") };
}

const MB = 1024 ** 2;

/** In bytes; 0 is unlimited. */
function readQuota(text: string): number | undefined {
  const mb = Math.floor(Number(text) / MB);
  return mb > 0 ? Math.min(Math.max(mb, QUOTA_MB_MIN), QUOTA_MB_MAX) : undefined;
}

/** Whether a user's status in an export, such as Google Workspace's, means that the account isn't in use. */
export const isInactiveStatus = (status: string): boolean =>
  /^(suspended|archived)$/i.test(status.trim());
