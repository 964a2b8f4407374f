import { sql } from "drizzle-orm";

import { mailImports } from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { requireMailbox } from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { requirePrivilegeIn } from "#server/core/mailboxes/mailboxes/require-privilege-in.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";

import { requeuedAt } from "./lease-imports.ts";
import { type GivenServer, readAccount, readSecret, readServer } from "./read-source.ts";

/** An account at the source, and the mailbox that gets its mail. */
export type GivenAccount = { account: string; secret: string; mailbox: string };

export type NewImports = GivenServer & {
  secretKind: "password" | "oauth";
  /** Whether to keep the secret, for a limited time, so that later mail can be imported without it. */
  keepsSecret: boolean;
  allowsPrivateHost?: boolean;
  accounts: GivenAccount[];
};

export const ACCOUNTS_MAX = 1_000;

/**
 * Starts the import of mail from accounts on another server, all or none. An import of the same account into the same
 * mailbox continues: it gets only what is new.
 *
 * @returns the ids of the imports, in order
 * @throws Refusal `invalid`, with the fields of all accounts; `invalid_permission` if `callerPrivileges` don't include
 *   changing one of the mailboxes
 */
export async function startImports(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  { accounts, secretKind, keepsSecret, allowsPrivateHost = false, ...given }: NewImports,
): Promise<string[]> {
  const server = readServer(given);
  if (accounts.length < 1 || accounts.length > ACCOUNTS_MAX)
    throw new Refusal("invalid", `accounts: must have 1 to ${ACCOUNTS_MAX} entries`);
  const read = readEach(accounts, ({ account, secret, mailbox }, at) => ({
    account: readAccount(account, `accounts[${at}].`),
    secret: readSecret(secret, `accounts[${at}].`),
    mailbox,
  }));
  requireEachOnce(read);
  const found = await findMailboxes(ctx, callerPrivileges, read);
  return inTransaction(ctx, async (ctx) => {
    const ids: string[] = [];
    for (const [at, { account, secret }] of read.entries()) {
      const secretFields = {
        secretKind,
        sealedSecret: seal("import_secret", secret),
        keepsSecret,
        allowsPrivateHost,
      };
      const queued = {
        ...{ ...server, ...secretFields, state: "queued" as const, problem: null, failures: 0 },
        ...{ passStartedAt: null, finishedAt: null },
      };
      const [row] = await ctx.db
        .insert(mailImports)
        .values({ companyId: ctx.companyId, mailbox: found[at]!, account, ...queued })
        .onConflictDoUpdate({
          target: [mailImports.mailbox, mailImports.host, mailImports.account],
          set: { ...queued, nextAttemptAt: requeuedAt, progressedAt: sql`clock_timestamp()` },
        })
        .returning({ id: mailImports.id });
      ids.push(row!.id);
    }
    await recordAudits(
      ctx,
      "mail_import.started",
      read.map(({ account }, at) => ({ mailbox: found[at], host: server.host, account })),
    );
    return ids;
  });
}

function requireEachOnce(accounts: GivenAccount[]): void {
  const seen = new Set<string>();
  readEach(accounts, ({ account, mailbox }, at) => {
    const key = `${account} ${mailbox.trim().toLowerCase()}`;
    if (seen.has(key))
      throw new Refusal("invalid", `accounts[${at}].account: is listed twice for this mailbox`);
    seen.add(key);
  });
}

async function findMailboxes(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  accounts: GivenAccount[],
): Promise<string[]> {
  const found = new Map<string, string | Refusal>();
  for (const { mailbox } of accounts)
    if (!found.has(mailbox)) found.set(mailbox, await findMailbox(ctx, callerPrivileges, mailbox));
  return readEach(accounts, ({ mailbox }, at) => {
    const result = found.get(mailbox)!;
    if (typeof result === "string") return result;
    if (result.reason === "invalid_permission") throw result;
    throw new Refusal("invalid", `accounts[${at}].mailbox: is not a mailbox of your company`);
  });
}

/** The normalized address, or why the caller can't import into the mailbox. */
async function findMailbox(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
): Promise<string | Refusal> {
  try {
    const { address, orgUnitId } = await requireMailbox(ctx, named);
    requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
    return address;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
