import { appendFile, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";

import { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { readInput } from "#server/cli/input.ts";
import { withCompany } from "#server/cli/with-database.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { listVerifiedDomains } from "#server/core/mailboxes/addresses/addresses.ts";
import { addAlias } from "#server/core/mailboxes/mailboxes/aliases.ts";
import {
  type CheckedLine,
  checkImport,
  createImportUnits,
} from "#server/core/mailboxes/mailbox-imports/check-import.ts";
import { ALIASES_MAX, createMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { checkList, importList } from "#server/core/sending/suppressions/suppressions.ts";
import { addressDomain, readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { parseTable, type Table } from "#server/universal/imports/parse-table.ts";
import {
  type GivenUser,
  readUsers,
  type SkippedUser,
  userListFormat,
} from "#server/universal/imports/read-users.ts";

export type UserOptions = {
  company: string;
  links?: string;
  withUnits?: boolean;
  dryRun?: boolean;
};

export type ImportedUsers = {
  format: string;
  /** Mailboxes created, or that would be. */
  created: string[];
  /** Aliases of existing mailboxes, likewise. */
  aliases: string[];
  /** Mailboxes that exist and have all aliases. */
  unchanged: number;
  skipped: SkippedUser[];
};

/**
 * Creates mailboxes and their aliases from other systems' lists of users. Each mailbox is created with its aliases and a link to set
 * the password, or not at all. For existing mailboxes, only missing aliases are added, so a repeated import continues.
 */
export async function importUsers(files: string[], options: UserOptions): Promise<ImportedUsers> {
  const tables = [];
  for (const file of files) tables.push(await readUserList(file));
  const { format, users, skipped } = readUsers(tables);
  return withCompany(options.company, "import users", async (ctx) => {
    const kept = await dropForeignAliases(ctx, users, skipped);
    const lines = kept.map(({ unit, ...user }) => ({
      ...user,
      unit: options.withUnits ? unit : "",
    }));
    const createsUnits = options.withUnits ?? false;
    let checked = await checkImport(ctx, OWNER_PRIVILEGES, lines, { createsUnits });
    if (checked.blocked !== null) throw new CommandError(checked.blocked);
    const result: ImportedUsers = { format, created: [], aliases: [], unchanged: 0, skipped };
    const work = async () => {
      for (const [at, line] of checked.lines.entries())
        await importLine(ctx, { user: kept[at]!, line, result, options });
    };
    if (options.dryRun) await work();
    else {
      await prepareLinks(options, checked.lines);
      if (checked.missingUnits.length > 0) {
        await createImportUnits(ctx, checked.missingUnits);
        checked = await checkImport(ctx, OWNER_PRIVILEGES, lines);
      }
      await new Display(process.stderr).step("Mailboxes", work);
    }
    return result;
  });
}

/** @throws CommandError for a file that isn't a list of users */
async function readUserList(file: string): Promise<Table> {
  const table = await readTable(file);
  if (userListFormat(table) !== null) return table;
  throw new CommandError(
    `${file} isn't a list of users of Google Workspace, Microsoft 365 or mailcow. A CSV file needs the columns email and name`,
  );
}

type Work = {
  user: GivenUser;
  line: CheckedLine;
  result: ImportedUsers;
  options: UserOptions;
};

async function importLine(ctx: Context, work: Work): Promise<void> {
  const { user, line, result } = work;
  const skip = (problem: string) =>
    result.skipped.push({ line: user.line, address: user.email, problem });
  if (line.outcome === "refused")
    return void skip(line.problems.map(({ message }) => message).join("; "));
  if (line.outcome === "exists" && line.aliases.length === 0) result.unchanged += 1;
  try {
    await createMissing(ctx, work);
  } catch (error) {
    // Such as an address that was taken since the check. Anything else ends the import.
    if (!(error instanceof Refusal) || error.reason === "mail_server_error") throw error;
    skip(error.message);
  }
}

async function createMissing(ctx: Context, { user, line, result, options }: Work): Promise<void> {
  const address = line.address!;
  const isNew = line.outcome === "new";
  const [first, more] = splitAt(line.aliases, isNew ? ALIASES_MAX : 0);
  if (isNew) {
    if (!options.dryRun) await create(ctx, { user, line, aliases: first, links: options.links! });
    result.created.push(address);
  }
  for (const alias of more) {
    if (!options.dryRun) await addAlias(ctx, OWNER_PRIVILEGES, address, alias);
    result.aliases.push(alias);
  }
}

const splitAt = <T>(list: T[], at: number) => [list.slice(0, at), list.slice(at)] as const;

type Creation = { user: GivenUser; line: CheckedLine; aliases: string[]; links: string };

/** The link is on disk before the mailbox exists. If that fails then, the next import adds a line with a link that works. */
async function create(ctx: Context, { user, line, aliases, links }: Creation): Promise<void> {
  const { default: papa } = await import("papaparse");
  await inTransaction(ctx, async (ctx) => {
    const { mailbox, link } = await createMailbox(ctx, OWNER_PRIVILEGES, {
      email: line.address!,
      name: user.name,
      aliases,
      withLink: true,
      quotaMb: user.quotaMb,
      orgUnitId: line.unit?.id ?? undefined,
    });
    const cells = [mailbox.address, mailbox.name, link];
    const row = `${papa.unparse([cells], { escapeFormulae: true })}\r\n`;
    await appendFile(links, row, { flush: true });
  });
}

/** A new file, or one to continue. */
async function prepareLinks({ links }: UserOptions, lines: CheckedLine[]): Promise<void> {
  if (!lines.some(({ outcome }) => outcome === "new")) return;
  if (links === undefined)
    throw new CommandError(
      "Specify --links FILE (a CSV file for the password setup links) or --dry-run",
    );
  const existing = await stat(links).catch(() => null);
  if (!existing) await writeFile(links, "mailbox,name,link\r\n", { mode: 0o600, flag: "wx" });
  else if ((existing.mode & 0o077) !== 0)
    throw new CommandError(
      `${links} is readable by other users. Specify a new file, or run chmod 600 ${links}`,
    );
}

/**
 * Other systems have aliases in domains that aren't verified here, and some list an address twice, in another case.
 */
async function dropForeignAliases(
  ctx: Context,
  users: GivenUser[],
  skipped: SkippedUser[],
): Promise<GivenUser[]> {
  const domains = new Set(await listVerifiedDomains(ctx));
  const isOwn = (alias: string) => domains.has(addressDomain(normalize(alias)));
  return users.map((user) => {
    for (const address of user.aliases.filter((alias) => !isOwn(alias)))
      skipped.push({ line: user.line, address, problem: "An alias in another domain" });
    const aliases = new Set(user.aliases.filter(isOwn).map(normalize));
    aliases.delete(normalize(user.email));
    return { ...user, aliases: [...aliases] };
  });
}

/** Invalid addresses are rejected later. */
const normalize = (written: string) => readBareAddress(written) ?? written.toLowerCase();

/** For a terminal. */
export function describeUsers(
  { format, created, aliases, unchanged, skipped }: ImportedUsers,
  { links, dryRun = false }: UserOptions,
): string {
  const would = dryRun ? "would be " : "";
  return [
    `Format: ${format}`,
    `${pluralize(created.length, "mailbox", "mailboxes")} ${would}created`,
    ...(dryRun ? created.map((address) => `  ${address}`) : []),
    aliases.length > 0 &&
      `${pluralize(aliases.length, "alias", "aliases")} ${would}added to existing mailboxes`,
    unchanged > 0 && `${pluralize(unchanged, "mailbox", "mailboxes")} unchanged`,
    skipped.length > 0 && `${pluralize(skipped.length, "entry", "entries")} skipped:`,
    ...skipped.map(
      ({ line, address, problem }) => `  ${line}: ${address || "(empty)"}: ${problem}`,
    ),
    !dryRun &&
      created.length > 0 &&
      `The links to set passwords are in ${links!}. They expire in 7 days. Give each user theirs, then delete the file`,
  ]
    .filter((line) => line !== false)
    .join("\n");
}

export type ListOptions = { company: string; dryRun?: boolean };

export type ImportedList = {
  format: string;
  /** Added, or that would be. */
  added: number;
  already: number;
  /** By reason. */
  origins: Record<string, number>;
  skipped: { line: number; address: string; problem: string }[];
};

/** Imports a suppression list of another provider, all or nothing. */
export async function importSuppressions(
  file: string,
  { company, dryRun = false }: ListOptions,
): Promise<ImportedList> {
  const { first, rows } = await readTable(file);
  const list = { fileName: basename(file), first, rows: rows.map(({ cells }) => cells) };
  return withCompany(company, "import suppressions", async (ctx) => {
    const { format, results } = await checkList(ctx, list);
    const found = results.flatMap((row) => ("entry" in row ? [row] : []));
    const added = new Map(
      found.filter(({ outcome }) => outcome === "new").map(({ entry }) => [entry.email, entry]),
    );
    const origins: Record<string, number> = {};
    for (const { origin } of added.values()) origins[origin] = (origins[origin] ?? 0) + 1;
    return {
      format: format.name,
      origins,
      added: dryRun ? added.size : await importList(ctx, list),
      already: new Set(found.map(({ entry }) => entry.email)).size - added.size,
      skipped: results.flatMap((row, at) =>
        row.outcome === "invalid"
          ? [{ line: rows[at]!.line, address: row.written, problem: row.problem }]
          : [],
      ),
    };
  });
}

/** For a terminal. */
export function describeList(
  { format, added, already, origins, skipped }: ImportedList,
  dryRun = false,
) {
  const reasons = Object.entries(origins).map(([origin, count]) => `${origin} ${count}`);
  return [
    `Format: ${format}`,
    `${pluralize(added, "address", "addresses")} ${dryRun ? "would be added" : "added"}${reasons.length > 0 ? `: ${reasons.join(", ")}` : ""}`,
    already > 0 && `${pluralize(already, "address", "addresses")} already suppressed`,
    skipped.length > 0 && `${pluralize(skipped.length, "line")} skipped:`,
    ...skipped.map(
      ({ line, address, problem }) => `  ${line}: ${problem}: ${address || "(empty)"}`,
    ),
  ]
    .filter((line) => line !== false)
    .join("\n");
}

/** @throws CommandError for broken JSON */
async function readTable(file: string): Promise<Table> {
  const content = await readInput(file);
  try {
    return await parseTable(content);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Operators, who run the commands, have all privileges in every company. */
export const OWNER_PRIVILEGES = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
