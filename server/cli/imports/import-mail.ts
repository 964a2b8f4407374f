import { CommandError } from "#server/cli/command-error.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import { type GivenServer, readServer } from "#server/core/mailboxes/imports/import-source.ts";
import { type GivenAccount, startImports } from "#server/core/mailboxes/imports/imports.ts";
import { locateMailbox } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { followImports } from "./follow-imports.ts";
import { OWNER_PRIVILEGES } from "./owner-privileges.ts";
import { type AccountOptions, readAccounts } from "./read-accounts.ts";

export type ImportOptions = AccountOptions & {
  from: string;
  oauth?: boolean;
  keepPassword?: boolean;
  unencrypted?: boolean;
  allowPrivateAddress?: boolean;
};

/** Starts imports and prints their progress until the worker has finished them. */
export async function importMail(options: ImportOptions): Promise<void> {
  const server = readFrom(options);
  const accounts = await readAccounts(options);
  await withDatabase(async (db) => {
    const ids: string[] = [];
    for (const [companyId, own] of await byCompany(db, accounts)) {
      const ctx = createContext(db, companyId, { kind: "system", task: "posthouse import" });
      const started = await startImports(ctx, OWNER_PRIVILEGES, {
        ...server,
        secretKind: options.oauth ? "oauth" : "password",
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
