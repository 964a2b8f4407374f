import { randomBytes } from "node:crypto";

import type postgres from "postgres";

/** Makes a copy of the cluster usable: the label goes into the copy as `backup_label`, the segments into its `pg_wal`. */
type BaseBackup = { label: string; segments: string[] };

/** A cluster in backup mode. Its files may be copied while the server writes to them. */
export type BackupMode = {
  /**
   * Ends backup mode. A server started on the copy recovers to this moment at the latest. The WAL segments it needs stay
   * in `pg_wal` until `close`.
   */
  finish(): Promise<BaseBackup>;
  /** Also abandons a backup that isn't finished. */
  close(): Promise<void>;
};

/**
 * Starts a base backup with Postgres' low-level API (manual, "Making a Base Backup Using the Low Level API"). The npm
 * package of the embedded server has no pg_basebackup.
 */
export async function enterBackupMode(url: string): Promise<BackupMode> {
  const { default: connect } = await import("postgres");
  // One connection: both the backup and the temporary slot end with its session.
  const sql = connect(url, {
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: "posthouse-backup" },
  });
  const close = () => sql.end({ timeout: 5 });
  try {
    const slot = `posthouse_backup_${randomBytes(6).toString("hex")}`;
    // The slot keeps the WAL written from here on. Archiving isn't needed.
    await sql`select pg_create_physical_replication_slot(${slot}, true, true)`;
    const [start] = await sql<[{ segment: string }]>`
      select pg_walfile_name(pg_backup_start('posthouse', true)) as segment`;
    return { close, finish: () => finish(sql, start.segment) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function finish(sql: postgres.Sql, first: string): Promise<BaseBackup> {
  const [end] = await sql<[{ label: string; segment: string }]>`
    select labelfile as label, pg_walfile_name(lsn) as segment from pg_backup_stop(false)`;
  const rows = await sql<{ name: string }[]>`
    select name from pg_ls_waldir()
    where name ~ '^[0-9A-F]{24}$' and name between ${first} and ${end.segment}
      or name ~ '[.]history$'
    order by name`;
  const segments = rows.map(({ name }) => name);
  for (const needed of [first, end.segment])
    if (!segments.includes(needed))
      throw new Error(`The WAL segment ${needed} is missing, so this backup can't be used`);
  return { label: end.label, segments };
}

/** What a copy of the cluster leaves out: the WAL, which is copied separately, and what a server rebuilds. */
export const NOT_COPIED = [
  "pg_wal/*",
  "pg_replslot/*",
  "pg_dynshmem/*",
  "pg_notify/*",
  "pg_serial/*",
  "pg_snapshots/*",
  "pg_stat_tmp/*",
  "pg_subtrans/*",
  "pgsql_tmp*",
  "pg_internal.init*",
  "postmaster.pid",
  "postmaster.opts",
  "backup_label",
  "backup_label.old",
];

/** Runs a checkpoint, so that the shutdown has little left to write. */
export async function checkpoint(url: string): Promise<void> {
  const { default: connect } = await import("postgres");
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    await sql`checkpoint`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
