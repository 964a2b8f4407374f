import { setTimeout as sleep } from "node:timers/promises";

import { terminalText } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { askHidden, readInput } from "#server/cli/input.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import {
  type GivenServer,
  readServer,
  type SecretKind,
} from "#server/core/mailboxes/imports/import-source.ts";
import {
  findImports,
  type GivenAccount,
  type ShownImport,
  startImports,
} from "#server/core/mailboxes/imports/imports.ts";
import { locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { createContext } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";
import { readAccounts } from "#server/universal/imports/read-accounts.ts";

import { OWNER_PRIVILEGES } from "./import-lists.ts";

export type ImportOptions = AccountOptions & {
  from: string;
  keepPassword?: boolean;
  unencrypted?: boolean;
  allowPrivateAddress?: boolean;
};

/** Starts imports and prints their progress until the worker has finished them. */
export async function importMail(options: ImportOptions): Promise<void> {
  const server = readFrom(options);
  const accounts = await accountsToImport(options);
  await withDatabase(async (db) => {
    const ids: string[] = [];
    for (const [companyId, own] of await byCompany(db, accounts)) {
      const ctx = createContext(db, companyId, { kind: "system", task: "posthouse import" });
      const started = await startImports(ctx, OWNER_PRIVILEGES, {
        ...server,
        secretKind: options.signIn ?? "password",
        keepsSecret: options.keepPassword ?? false,
        allowsPrivateHost: options.allowPrivateAddress ?? false,
        accounts: own,
      });
      ids.push(...started);
    }
    await followImports(db, ids);
  });
}

function readFrom({ from, unencrypted }: ImportOptions): GivenServer {
  const url = URL.parse(from);
  if (!url?.hostname || !/^imaps?:$/.test(url.protocol))
    throw new CommandError(
      "--from must be imaps://HOST or imap://HOST, with :PORT if it isn't the usual one",
    );
  if (url.username || url.password)
    throw new CommandError("--from must not contain an account or password. Use --user");
  const security = securityOf(url, unencrypted);
  const usualPort = security === "tls" ? 993 : 143;
  return readServer({
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port ? Number(url.port) : usualPort,
    security,
  });
}

function securityOf({ protocol }: URL, unencrypted = false): GivenServer["security"] {
  if (protocol === "imap:") return unencrypted ? "none" : "starttls";
  if (unencrypted) throw new CommandError("--unencrypted needs imap://, without TLS");
  return "tls";
}

async function byCompany(db: Db, accounts: GivenAccount[]): Promise<Map<string, GivenAccount[]>> {
  const companies = new Map<string, GivenAccount[]>();
  for (const account of accounts) {
    const { companyId } = await locateMailbox(db, account.mailbox);
    companies.set(companyId, [...(companies.get(companyId) ?? []), account]);
  }
  return companies;
}

type AccountOptions = {
  signIn?: SecretKind;
  user?: string;
  to?: string;
  csv?: string;
  passwordFile?: string;
};

/** The accounts to import, with their passwords. */
async function accountsToImport(options: AccountOptions): Promise<GivenAccount[]> {
  const { user, to, csv } = options;
  if (csv !== undefined) {
    if (user !== undefined || to !== undefined)
      throw new CommandError("Use either --csv, or --user and --to");
    return readList(csv, isApp(options) ? await readPassword(options, "the app") : undefined);
  }
  if (user === undefined || to === undefined)
    throw new CommandError("Specify --user and --to, or --csv");
  return [{ account: user, secret: await readPassword(options, user), mailbox: to }];
}

const isApp = ({ signIn }: AccountOptions) => signIn === "google" || signIn === "microsoft";

async function readList(file: string, secret: string | undefined): Promise<GivenAccount[]> {
  try {
    return await readAccounts(await readInput(file), secret);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
}

async function readPassword(options: AccountOptions, user: string): Promise<string> {
  const { passwordFile } = options;
  const fromEnvironment = process.env.POSTHOUSE_IMPORT_PASSWORD;
  if (passwordFile === undefined) {
    if (fromEnvironment) return fromEnvironment;
    if (process.stdin.isTTY) return askHidden(`Password of ${user}`);
  }
  const content = await readInput(passwordFile ?? "-");
  // Keys are downloaded as JSON with several lines.
  return isApp(options) ? content : firstLine(content);
}

const firstLine = (content: string) => content.split(/\r?\n/)[0]!;

const LOOK_EVERY_MS = 1_000;

/** Without a terminal, such as in a log. */
const PRINT_EVERY_MS = 30_000;

/**
 * Prints progress until all imports have ended. The worker runs them, so they continue if this command is interrupted.
 *
 * @throws CommandError if one of them failed
 */
async function followImports(db: Db, ids: string[]): Promise<void> {
  const said = new Map<string, string>();
  let printedAt = -Infinity;
  for (;;) {
    const imports = await findImports(db, ids);
    for (const one of imports) sayOnce(said, one);
    const waiting = imports.filter(({ state }) => state === "queued" || state === "running");
    const isDue = process.stderr.isTTY || performance.now() - printedAt > PRINT_EVERY_MS;
    if (waiting.length === 0 || isDue) {
      printProgress(imports);
      printedAt = performance.now();
    }
    if (waiting.length === 0) {
      report(imports);
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Prints a problem, or the end of an import, when it is new. */
function sayOnce(said: Map<string, string>, one: ShownImport): void {
  const { id, mailbox, account, state, problem, messagesImported, errors } = one;
  const text = {
    queued: problem && `${problem}. Retrying`,
    running: problem && `${problem}. Retrying`,
    failed: problem,
    canceled: "Canceled",
    done: `${pluralize(messagesImported, "message", "messages")} imported${errors > 0 ? `, ${errors} failed` : ""}`,
  }[state];
  if (!text || said.get(id) === text) return;
  said.set(id, text);
  clearLine();
  console.error(terminalText(`${account} → ${mailbox}: ${text}`));
}

function printProgress(imports: ShownImport[]): void {
  const sum = (field: "messagesDone" | "messagesTotal" | "errors") =>
    imports.reduce((total, one) => total + one[field], 0);
  const left = Math.max(0, ...imports.map(({ secondsLeft }) => secondsLeft ?? 0));
  const isTty = process.stderr.isTTY;
  clearLine();
  process.stderr.write(
    `${sum("messagesDone")} of ${sum("messagesTotal")} messages${left > 0 ? `, ${formatLeft(left)} left` : ""}${isTty ? "" : "\n"}`,
  );
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}

function formatLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

function report(imports: ShownImport[]): void {
  if (process.stderr.isTTY) process.stderr.write("\n");
  const failed = imports.filter(({ state }) => state !== "done");
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} of ${pluralize(imports.length, "import", "imports")} failed. Repeat the command to continue`,
    );
  const errors = imports.reduce((sum, one) => sum + one.errors, 0);
  if (errors > 0)
    throw new CommandError(
      `${pluralize(errors, "message", "messages")} couldn't be imported. The console lists them under Mailboxes, Import mail`,
    );
}
