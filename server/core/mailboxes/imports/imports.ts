import { and, asc, desc, eq, getTableColumns, inArray, or, sql, type SQL } from "drizzle-orm";

import {
  mailboxes,
  type MailImport,
  mailImportErrors,
  mailImportFolders,
  mailImports,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  requireMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { containsPattern, isUuid } from "#server/core/shared/paging/pages.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

import { requeuedAt, wakeImporter } from "./import-leases.ts";
import {
  type GivenServer,
  readAccount,
  readSecret,
  readServer,
  type SecretKind,
} from "./import-source.ts";

/** An account at the source, and the mailbox that gets its mail. */
export type GivenAccount = { account: string; secret: string; mailbox: string };

export type NewImports = GivenServer & {
  secretKind: SecretKind;
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
    secret: readSecret(secretKind, secret, `accounts[${at}].`),
    mailbox,
  }));
  requireEachOnce(read);
  const found = await findMailboxes(ctx, callerPrivileges, read);
  const ids = await inTransaction(ctx, async (ctx) => {
    const ids: string[] = [];
    for (const [at, { account, secret }] of read.entries()) {
      const secretFields = {
        secretKind,
        sealedSecret: seal("import_secret", secret),
        keepsSecret,
        allowsPrivateHost,
      };
      const queued = {
        ...server,
        ...secretFields,
        state: "queued" as const,
        problem: null,
        failures: 0,
        passStartedAt: null,
        finishedAt: null,
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
  wakeImporter(ctx.db);
  return ids;
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

/** An import without its secret. */
export type ShownImport = Omit<MailImport, "sealedSecret" | "leasedBy"> & {
  hasSecret: boolean;
  isLeased: boolean;
  /** Messages that couldn't be imported. */
  errors: number;
  /** Until the current pass ends, as the pace so far suggests; null if it isn't running or has just begun. */
  secondsLeft: number | null;
};

export type ImportFilter = { state?: MailImport["state"] | undefined; search?: string | undefined };

const ROWS_MAX = 1_000;

const errorsOf = sql<number>`(select count(*)::int from ${mailImportErrors}
  join ${mailImportFolders} on ${mailImportFolders.id} = ${mailImportErrors.folderId}
  where ${mailImportFolders.importId} = ${mailImports.id})`;

/** Paced by what this pass has checked beyond what it found imported already. */
const secondsLeft = sql<
  number | null
>`case when state = 'running' and messages_done > messages_before then
  ceil((messages_total - messages_done)::float8 / (messages_done - messages_before) *
    extract(epoch from statement_timestamp() - pass_started_at))::float8 end`;

function columns() {
  const { sealedSecret, leasedBy, ...shown } = getTableColumns(mailImports);
  const hasSecret = sql<boolean>`${sealedSecret} is not null`;
  const isLeased = sql<boolean>`${leasedBy} is not null`;
  return { ...shown, hasSecret, isLeased, errors: errorsOf, secondsLeft };
}

/** The company's imports that the caller can see: unfinished ones first, then the newest, up to a thousand. */
export function listImports(
  { db, companyId }: CompanyScope,
  callerPrivileges: HeldPrivileges,
  { state, search }: ImportFilter = {},
): Promise<ShownImport[]> {
  return select({ db, companyId }, callerPrivileges, [
    state && eq(mailImports.state, state),
    search ? mentions(search) : undefined,
  ]).limit(ROWS_MAX);
}

const mentions = (search: string) => {
  const pattern = containsPattern(search);
  return or(
    ...[mailImports.mailbox, mailImports.account, mailImports.host].map(
      (column) => sql`lower(${column}) like ${pattern}`,
    ),
  );
};

function select(
  { db, companyId }: CompanyScope,
  callerPrivileges: HeldPrivileges,
  conditions: (SQL | undefined)[],
) {
  return db
    .select(columns())
    .from(mailImports)
    .innerJoin(mailboxes, eq(mailboxes.address, mailImports.mailbox))
    .where(
      and(
        eq(mailImports.companyId, companyId),
        importableMailboxes(callerPrivileges),
        ...conditions,
      ),
    )
    .orderBy(
      sql`case ${mailImports.state} when 'running' then 0 when 'queued' then 1 when 'failed' then 2 else 3 end`,
      desc(mailImports.createdAt),
      asc(mailImports.mailbox),
    );
}

export type ImportDetail = ShownImport & {
  folders: {
    source: string;
    target: string;
    messages: number;
    done: number;
    isFinished: boolean;
  }[];
  /** The first hundred. */
  failed: { folder: string; uid: number; reason: string }[];
};

const ERRORS_SHOWN = 100;

/** @throws Refusal `not_found` */
export async function getImport(
  { db, companyId }: CompanyScope,
  callerPrivileges: HeldPrivileges,
  id: string,
): Promise<ImportDetail> {
  const found = isUuid(id)
    ? await select({ db, companyId }, callerPrivileges, [eq(mailImports.id, id)])
    : [];
  if (!found[0]) throw new Refusal("not_found", "Import not found");
  const folders = await db
    .select({
      source: mailImportFolders.source,
      target: mailImportFolders.target,
      messages: mailImportFolders.messagesTotal,
      done: mailImportFolders.messagesDone,
      isFinished: sql<boolean>`${mailImportFolders.finishedAt} is not null`,
    })
    .from(mailImportFolders)
    .where(eq(mailImportFolders.importId, id))
    .orderBy(asc(mailImportFolders.source));
  const failed = await db
    .select({
      folder: mailImportFolders.source,
      uid: mailImportErrors.uid,
      reason: mailImportErrors.reason,
    })
    .from(mailImportErrors)
    .innerJoin(mailImportFolders, eq(mailImportFolders.id, mailImportErrors.folderId))
    .where(eq(mailImportFolders.importId, id))
    .orderBy(asc(mailImportFolders.source), asc(mailImportErrors.uid))
    .limit(ERRORS_SHOWN);
  return { ...found[0], folders, failed };
}

/** Imports of any company, for the command that started them. */
export const findImports = (db: Db, ids: string[]): Promise<ShownImport[]> =>
  db
    .select(columns())
    .from(mailImports)
    .where(inArray(mailImports.id, ids))
    .orderBy(asc(mailImports.mailbox));

const CANCELED = {
  state: "canceled" as const,
  problem: null,
  finishedAt: sql`clock_timestamp()`,
  sealedSecret: null,
};

/** Stops the imports into a mailbox that is about to be deleted, and erases their passwords. */
export async function cancelImportsInto({ db }: Context, mailbox: string): Promise<void> {
  const isInto = eq(mailImports.mailbox, mailbox);
  const isActive = inArray(mailImports.state, ["queued", "running"]);
  await db.update(mailImports).set(CANCELED).where(and(isInto, isActive));
  await db.update(mailImports).set({ sealedSecret: null }).where(isInto);
}

/**
 * Stops an import that runs or is queued, and erases its password. What was imported stays. For a finished import, only
 * erases the password.
 *
 * @throws Refusal `not_found`, `invalid_permission`
 */
export async function cancelImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: string,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const row = await lockImport(ctx, callerPrivileges, id);
    const isActive = row.state === "queued" || row.state === "running";
    if (!isActive && row.sealedSecret === null) return;
    await ctx.db
      .update(mailImports)
      .set({
        sealedSecret: null,
        ...(isActive && CANCELED),
      })
      .where(eq(mailImports.id, id));
    const action = isActive ? "mail_import.canceled" : "mail_import.password_erased";
    await recordAudit(ctx, action, auditDetails(row));
  });
}

/**
 * Imports what is new at the source since the last pass, and changes of flags.
 *
 * @param secret if none is stored, or another one is needed
 * @throws Refusal `not_found`, `invalid_permission`, `missing_required_field` without a secret, `invalid`
 */
export async function repeatImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: string,
  { secret }: { secret?: string | undefined } = {},
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const row = await lockImport(ctx, callerPrivileges, id);
    if (row.state === "queued" || row.state === "running") return;
    const sealedSecret =
      secret === undefined
        ? row.sealedSecret
        : seal("import_secret", readSecret(row.secretKind, secret));
    if (sealedSecret === null)
      throw new Refusal("missing_required_field", "secret: is no longer stored. Enter it again");
    await ctx.db
      .update(mailImports)
      .set({
        state: "queued",
        problem: null,
        failures: 0,
        sealedSecret,
        nextAttemptAt: requeuedAt,
        progressedAt: sql`clock_timestamp()`,
        passStartedAt: null,
        finishedAt: null,
      })
      .where(eq(mailImports.id, id));
    await recordAudit(ctx, "mail_import.started", auditDetails(row));
  });
  wakeImporter(ctx.db);
}

const auditDetails = ({ mailbox, host, account }: MailImport) => ({ mailbox, host, account });

async function lockImport(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  id: string,
): Promise<MailImport> {
  const own = and(eq(mailImports.id, id), eq(mailImports.companyId, ctx.companyId));
  const [row] = isUuid(id) ? await ctx.db.select().from(mailImports).where(own).for("update") : [];
  if (!row) throw new Refusal("not_found", "Import not found");
  const { orgUnitId } = await requireMailbox(ctx, row.mailbox);
  requirePrivilegeIn(callerPrivileges, "update_users", orgUnitId);
  return row;
}

/** SQL condition for the mailboxes that the caller can import mail into; undefined for all. */
function importableMailboxes({ privileges, units }: HeldPrivileges): SQL | undefined {
  if (privileges.has("update_users")) return undefined;
  return inArray(mailboxes.orgUnitId, [...(units.get("update_users") ?? [])]);
}
