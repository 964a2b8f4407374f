import { createInterface } from "node:readline/promises";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

import { CommandError } from "#server/cli/command-error.ts";
import type { GivenAccount } from "#server/core/mailboxes/imports/imports.ts";
import { readAccounts as readAccountList } from "#server/universal/imports/read-accounts.ts";

import { readText } from "./read-text.ts";

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
    return readList(csv);
  }
  if (user === undefined || to === undefined)
    throw new CommandError("Specify --user and --to, or --csv");
  return [{ account: user, secret: await readPassword(options, user), mailbox: to }];
}

async function readList(file: string): Promise<GivenAccount[]> {
  try {
    return await readAccountList(await readText(file));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
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
