import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, truncate } from "node:fs/promises";
import { dirname, join } from "node:path";

import { recordProved } from "#server/core/operations/backups/backups.ts";
import { auditMail } from "#server/core/operations/ledger/audit-mail.ts";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { holdRestored } from "#server/core/operations/queue/holds.ts";
import { checkKeys } from "#server/core/operations/system-checks/check-keys.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { collectionsPath } from "#server/gateways/calendar-store.ts";
import { connect, type Connection } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { clusterFolder, passwordFile } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

import type { RestorePoint } from "./find-backup.ts";
import {
  BackupError,
  backupFolders,
  MAIL_COPY,
  type Manifest,
  RESTORED_WEBMAIL,
  SPAM_DATA,
  type TableSum,
} from "./layout.ts";
import { makeOwn } from "./prepare.ts";
import { prepareReader, readStore } from "./read-store.ts";
import type { Restic, Snapshot } from "./restic.ts";

/**
 * Restores a backup or a later restore point into an empty folder, as a data folder that Posthouse can start on.
 *
 * @param stores whose mail to restore, `<domain>/<user>`; all by default
 */
export async function restoreCopy(
  engine: Restic,
  target: string,
  { id, base, wal }: RestorePoint,
  stores?: string[],
): Promise<Manifest> {
  await makeOwn(target);
  await engine.restore(base.id, target, ["/backup", "/postgres"]);
  const { databaseSnapshot } = await readManifest(target);
  const include = stores && ["/backup", "/keys", "/tls", ...stores.map(patternOf)];
  await engine.restore(id, target, include);
  const manifest = await readManifest(target);
  await engine.restore(databaseSnapshot!, target);
  if (manifest.position) await placeWal(engine, target, { wal, position: manifest.position });
  await placeMail(target);
  const folders = backupFolders(target);
  if (existsSync(folders.spamCopy)) {
    await makeOwn(dirname(join(target, SPAM_DATA)));
    await rename(folders.spamCopy, join(target, SPAM_DATA));
  }
  if (existsSync(folders.webmailCopy)) {
    const restored = join(target, RESTORED_WEBMAIL);
    await makeOwn(dirname(restored));
    await rename(folders.webmailCopy, restored);
  }
  const cluster = clusterFolder(target);
  await rename(folders.label, join(cluster, "backup_label"));
  await rename(folders.password, passwordFile(cluster));
  return manifest;
}

/** Reads the manifest of a restored copy. */
const readManifest = async (dataFolder: string): Promise<Manifest> =>
  JSON.parse(await readFile(backupFolders(dataFolder).manifest, "utf8")) as Manifest;

/** Restores only the description of a backup. */
export async function restoreManifest(
  engine: Restic,
  target: string,
  filesSnapshot: string,
): Promise<Manifest> {
  await makeOwn(target);
  await engine.restore(filesSnapshot, target, ["/backup/manifest.json"]);
  return readManifest(target);
}

/** Restores some stores: the mail to `mail` below the target, calendars and contacts to the same folder as in a data folder. */
export async function restoreStores(
  engine: Restic,
  target: string,
  { filesSnapshot, stores }: { filesSnapshot: string; stores: string[] },
): Promise<void> {
  await makeOwn(target);
  const paths = stores.flatMap((store) => [patternOf(store), escaped(collectionsPath(store, "/"))]);
  await engine.restore(filesSnapshot, target, paths);
  await placeMail(target);
}

/** restic's pattern for the mail of a store. */
const patternOf = (store: string) => escaped(`/${MAIL_COPY}/${store}`);

/** The local part of an address may contain wildcards. */
const escaped = (path: string) => path.replaceAll(/[*?[\\]/g, "\\$&");

async function placeMail(target: string): Promise<void> {
  const { mailCopy } = backupFolders(target);
  const mail = join(target, "mail");
  if (!existsSync(mailCopy)) {
    await mkdir(mail, { recursive: true, mode: 0o700 });
    return;
  }
  const aside = join(target, "mail.restored");
  await rename(mailCopy, aside);
  await rm(mail, { recursive: true });
  await rename(aside, mail);
}

export type CopyOptions = {
  /** Whose mail to read, `<domain>/<user>`. */
  stores: string[];
  /** Whether the copy is used afterwards, so that it must be on disk. */
  isKept: boolean;
  /** Whether to put the mail that is waiting in it on hold. */
  holdsMail?: boolean;
};

export type CopyReport = {
  tables: number;
  rows: number;
  /** Recipients in the ledger. */
  accepted: number;
  mailboxes: number;
  messages: number;
  /** The companies whose mail is on hold. */
  onHold: string[];
};

/** Enough for one reader at a time. */
const SMALL = { shared_buffers: "64MB", max_connections: "20" };

/**
 * Starts Postgres on a restored copy and checks what is in it. The process's data folder must be the copy.
 *
 * @throws BackupError with what is wrong
 */
export async function inspectCopy(
  dataFolder: string,
  { stores, isKept, holdsMail = false }: CopyOptions,
): Promise<CopyReport> {
  const manifest = await readManifest(dataFolder);
  const server = await startEmbeddedPostgres({
    folder: clusterFolder(dataFolder),
    settings: isKept ? SMALL : { ...SMALL, fsync: "off" },
  });
  try {
    const connection = connect(server.url, { max: 2 });
    try {
      await requireReplayed(connection, manifest);
      await requireSame(connection, manifest);
      await migrate(server.url);
      const counted = await readEverything(connection);
      const accepted = await requireExactLedger(connection);
      const keys = await checkKeys(connection.db);
      if (keys.state !== "ok") throw new BackupError(keys.found);
      const read = await readMail(dataFolder, manifest, stores);
      const onHold = holdsMail ? await holdRestored(connection.db, manifest.time) : [];
      const report = { ...counted, accepted, ...read, onHold };
      // The copy was made before the backup was verified, so its own record of the backup says nothing about that.
      if (isKept)
        await recordProved(connection.db, manifest.id, {
          messages: report.messages,
          proof: `restored, ${pluralize(report.rows, "row")}, ledger exact, ${pluralize(report.messages, "message")} present`,
        });
      return report;
    } finally {
      await connection.close();
    }
  } finally {
    await server.stop();
  }
}

/** After recovery, Postgres makes a checkpoint where the WAL ended. */
async function requireReplayed({ sql }: Connection, { position }: Manifest): Promise<void> {
  if (!position) return;
  const [row] = await sql<[{ isComplete: boolean; end: string }]>`
    select redo_lsn >= ${position.lsn}::pg_lsn as "isComplete", redo_lsn::text as end
    from pg_control_checkpoint()`;
  if (!row.isComplete)
    throw new BackupError(`WAL is missing between ${row.end} and ${position.lsn}`);
}

/** Compares the tables that didn't change during the backup, and looks for the record of the backup itself. */
async function requireSame(connection: Connection, { id, tables }: Manifest): Promise<void> {
  const found = await sumTables(connection);
  for (const [name, expected] of Object.entries(tables))
    if (found[name]?.rows !== expected.rows || found[name].hash !== expected.hash)
      throw new BackupError(
        `The table ${name} (${pluralize(found[name]?.rows ?? 0, "row")}) differs from the original (${pluralize(expected.rows, "row")})`,
      );
  const [own] = await connection.sql`select 1 from backups where id = ${id}`;
  if (!own) throw new BackupError("The copy is older than the backup: WAL is missing");
}

/** Reads every row of every table, long values too. Postgres verifies the checksum of each page. */
async function readEverything({ sql }: Connection): Promise<{ tables: number; rows: number }> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  let rows = 0;
  for (const { name } of tables) {
    const [row] = await sql.unsafe<[{ count: number }]>(
      `select count(t::text)::float8 as count from ${name} t`,
    );
    rows += row.count;
  }
  return { tables: tables.length, rows };
}

async function requireExactLedger({ db }: Connection): Promise<number> {
  const emails = await auditLedger(db);
  const mail = await auditMail(db);
  const unaccounted = emails.unaccounted + mail.unaccounted;
  if (unaccounted > 0)
    throw new BackupError(
      `${pluralize(unaccounted, "recipient is", "recipients are")} unaccounted for`,
    );
  return emails.accepted + mail.accepted;
}

async function readMail(dataFolder: string, manifest: Manifest, stores: string[]) {
  const configuration = await prepareReader(dataFolder);
  let messages = 0;
  for (const store of stores) {
    const home = join(dataFolder, "mail", store);
    messages += await readStore(configuration, { home, store, expected: manifest.stores[store]! });
  }
  return { mailboxes: stores.length, messages };
}

/** Tables with settings, people and addresses. They change rarely, so a copy can be compared row by row. */
const COMPARED = [
  "instance",
  "companies",
  "people",
  "admins",
  "roles",
  "api_keys",
  "domains",
  "dkim_keys",
  "addresses",
  "mailboxes",
  "aliases",
  "groups",
  "group_members",
  "group_units",
  "app_passwords",
  "webhooks",
];

/** Counts the rows of each compared table and hashes them, in any order. */
export async function sumTables({
  sql,
}: Pick<Connection, "sql">): Promise<Record<string, TableSum>> {
  const present = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name in ${sql(COMPARED)}`;
  const sums: Record<string, TableSum> = {};
  for (const { name } of present) {
    const [row] = await sql<[TableSum]>`
      select count(*)::int as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as hash
      from ${sql(name)} t`;
    sums[name] = { rows: row.rows, hash: row.hash };
  }
  return sums;
}

/** The sums that are equal in both: those of tables that didn't change in between. */
export function unchanged(
  before: Record<string, TableSum>,
  after: Record<string, TableSum>,
): Record<string, TableSum> {
  const isEqual = (name: string) =>
    before[name]?.hash === after[name]?.hash && before[name]?.rows === after[name]?.rows;
  return Object.fromEntries(Object.entries(after).filter(([name]) => isEqual(name)));
}

/** Size of each WAL segment: the default of initdb. */
const SEGMENT_BYTES = 16 * 1024 ** 2;

/**
 * Puts the WAL between a backup and a restore point into a restored cluster, cut off at the restore point. A server started on it
 * replays all of it.
 */
async function placeWal(
  engine: Restic,
  target: string,
  { wal, position }: { wal: Snapshot[]; position: NonNullable<Manifest["position"]> },
): Promise<void> {
  const cluster = clusterFolder(target);
  const own = join(cluster, "pg_wal");
  const { wal: partial } = backupFolders(target);
  // The stream has it too, and as far as it was written later.
  await rm(own, { recursive: true, force: true });
  for (const { id } of wal) await engine.restore(id, target);
  await mkdir(own, { recursive: true, mode: 0o700 });
  // A segment that was the last one in one snapshot is complete in the next one.
  for (const name of existsSync(partial) ? await readdir(partial) : [])
    if (!existsSync(join(own, name))) await rename(join(partial, name), join(own, name));
  await rm(partial, { recursive: true, force: true });
  for (const name of await readdir(own)) if (name > position.segment) await rm(join(own, name));
  const last = join(own, position.segment);
  if (!existsSync(last))
    throw new BackupError(`The WAL segment ${position.segment} isn't in the repository`);
  await truncate(last, position.bytes);
  await truncate(last, SEGMENT_BYTES);
}
