import { and, asc, desc, eq, getTableColumns, inArray, or, type SQL, sql } from "drizzle-orm";

import {
  mailboxes,
  mailImportErrors,
  mailImportFolders,
  mailImports,
  type MailImport,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { Db } from "#server/db/client.ts";

import { importableMailboxes } from "./importable-mailboxes.ts";

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
