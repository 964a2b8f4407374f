import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

import { CommandError } from "#server/cli/command-error.ts";
import type { GivenAccount } from "#server/core/mailboxes/imports/start-imports.ts";

import { readText } from "./read-rows.ts";

export type AccountOptions = {
  user?: string;
  to?: string;
  csv?: string;
  passwordFile?: string;
};

/** The accounts to import, with their passwords. */
export async function readAccounts(options: AccountOptions): Promise<GivenAccount[]> {
  const { user, to, csv } = options;
  if (csv !== undefined) {
    if (user !== undefined || to !== undefined)
      throw new CommandError("Use either --csv, or --user and --to");
    return readAccountsCsv(await readText(csv));
  }
  if (user === undefined || to === undefined)
    throw new CommandError("Specify --user and --to, or --csv");
  return [{ account: user, secret: await readPassword(options, user), mailbox: to }];
}

const COLUMNS = ["account", "password", "mailbox"] as const;

/** @throws CommandError with the line that can't be used */
export async function readAccountsCsv(content: string): Promise<GivenAccount[]> {
  const { default: papa } = await import("papaparse");
  const { data, meta } = papa.parse<Partial<Record<string, string>>>(
    content.replaceAll(/\r\n?/g, "\n"),
    {
      header: true,
      skipEmptyLines: "greedy",
      transformHeader: (name) => name.trim().toLowerCase(),
    },
  );
  const missing = COLUMNS.filter((name) => !meta.fields?.includes(name));
  if (missing.length > 0)
    throw new CommandError(
      `The CSV file has no column ${missing.join(", ")}. Its first line must be ${COLUMNS.join(",")}`,
    );
  return data.map((row, at) => {
    const { account = "", password = "", mailbox = "" } = row;
    // The header is line 1.
    if (!account.trim() || !password || !mailbox.trim())
      throw new CommandError(
        `Line ${at + 2} of the CSV file needs an account, a password and a mailbox`,
      );
    return { account: account.trim(), secret: password, mailbox: mailbox.trim() };
  });
}

async function readPassword({ passwordFile }: AccountOptions, user: string): Promise<string> {
  const fromEnvironment = process.env.POSTHOUSE_IMPORT_PASSWORD;
  if (passwordFile !== undefined) return firstLine(await readText(passwordFile));
  if (fromEnvironment) return fromEnvironment;
  if (process.stdin.isTTY) return askPassword(`Password of ${user}: `);
  return firstLine(await text(process.stdin));
}

const firstLine = (content: string) => content.split(/\r?\n/)[0]!;

/** Without echo. */
async function askPassword(question: string): Promise<string> {
  process.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const dialog = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await dialog.question("");
  } finally {
    dialog.close();
    process.stderr.write("\n");
  }
}
