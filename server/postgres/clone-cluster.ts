import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

import type postgres from "postgres";

import { exitCodeOf, writeInput } from "#server/processes/child-exit.ts";
import { DISK_RESERVE_BYTES, diskUsage, freeBytesAt } from "#server/processes/machine.ts";
import { createFolder, removeTree, rename } from "#server/processes/open-no-follow.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { enterBackupMode } from "./base-backup.ts";
import { hasCluster } from "./cluster.ts";

const MB = 1024 ** 2;
/** The name of a WAL segment. Names sort in the order of writing. */
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Postgres clears the other files that belong to a running server when it starts. WAL segments that the copy needs follow
 * at the end. Without replication slots: the copy isn't the server that their WAL comes from.
 */
const COPY_FILES = `
cd "$1"
find . -mindepth 1 -maxdepth 1 ! -name pg_wal ! -name pg_replslot ! -name 'postmaster.*' ! -name 'backup_label*' \\
  -exec cp --archive --reflink=auto --target-directory="$2" -- {} +
mkdir "$2/pg_wal" "$2/pg_replslot"`;

const COPY_WAL = `
set -e
cd "$1/pg_wal"
target=$2
shift 2
cp --archive --target-directory="$target/pg_wal" -- "$@"
cat > "$target/backup_label"
chmod 600 "$target/backup_label"
sync --file-system "$target"`;

/** Syncs only these files: others may have much to write to the disk at the moment. */
const COPY_LATER_WAL = `
set -e
cd "$1/pg_wal"
target=$2/pg_wal
shift 2
cp --archive --target-directory="$target" -- "$@"
cd "$target"
sync -- "$@" .`;

/**
 * Copies the cluster of a running server, which stays in use. A server started on the copy has everything that was committed
 * when the copying ended. On file systems that can (XFS, Btrfs), the copy shares its blocks with the original and takes no time.
 *
 * Runs as the service user: root must not follow links in a folder that a service can write to.
 *
 * @param url of the running server
 * @param folder its cluster
 * @param target for the copy; replaced if it exists
 * @throws Error when the disk has too little space for it
 */
export async function cloneCluster(url: string, folder: string, target: string): Promise<void> {
  const draft = `${target}.new`;
  for (const path of [target, draft]) await removeTree(path);
  await requireSpace(folder, dirname(target));
  const mode = await enterBackupMode(url);
  try {
    createFolder(draft, { owner: await serviceUser() });
    // Postgres may delete a file before it is copied, and the copy doesn't need it then.
    await run(COPY_FILES, { folder, draft, allowed: /: No such file or directory$/ });
    const { label, segments } = await mode.finish();
    await run(COPY_WAL, { folder, draft, args: segments, input: label });
    rename(draft, target);
  } catch (error) {
    await removeTree(draft);
    throw error;
  } finally {
    await mode.close();
  }
}

/**
 * Updates an earlier copy of a cluster with everything committed since. A server started on the copy replays the WAL, so only new
 * WAL must be copied.
 *
 * @param url of the running server; nothing else must write much meanwhile
 * @param copy made by cloneCluster; nothing has used it since
 * @returns false if there is no copy, or the server no longer has all of that WAL
 */
export async function updateClone(url: string, folder: string, copy: string): Promise<boolean> {
  if (!(await hasCluster(copy))) return false;
  const names = await readdir(join(copy, "pg_wal"));
  // Perhaps incomplete.
  const last =
    names
      .filter((name) => SEGMENT.test(name))
      .toSorted()
      .at(-1) ?? "";
  const { default: connect } = await import("postgres");
  const sql = connect(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
  try {
    const segments = await segmentsFrom(sql, last);
    if (segments[0] !== last) return false;
    await run(COPY_LATER_WAL, { folder, draft: copy, args: segments });
    // A checkpoint renames and overwrites the oldest segments first.
    return (await segmentsFrom(sql, last))[0] === last;
  } finally {
    await sql.end();
  }
}

/** Up to the current segment; those after it are reserved for later. */
async function segmentsFrom(sql: postgres.Sql, first: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from pg_ls_waldir()
    where name ~ ${SEGMENT.source} and name between ${first} and pg_walfile_name(pg_current_wal_insert_lsn())
    order by name`;
  return rows.map(({ name }) => name);
}

/** @param allowed a pattern for lines of error output that don't matter */
async function run(
  script: string,
  {
    folder,
    draft,
    args = [],
    input = "",
    allowed,
  }: { folder: string; draft: string; args?: string[]; input?: string; allowed?: RegExp },
): Promise<void> {
  const shell = { command: "sh", args: ["-c", script, "sh", folder, draft, ...args] };
  const { command, args: all } = await asServiceUser(shell, {
    paths: [join(folder, "global"), join(draft, "global")],
    deathSignal: "TERM",
  });
  const child = spawn(command, all, {
    env: { ...process.env, LC_ALL: "C" },
    cwd: "/",
    stdio: ["pipe", "ignore", "pipe"],
  });
  writeInput(child, input);
  const [code, complaint] = await Promise.all([exitCodeOf(child), text(child.stderr)]);
  const lines = complaint.split("\n").filter((line) => line && !allowed?.test(line));
  if (code === 0 || (allowed && lines.length === 0 && complaint)) return;
  throw new Error(`The database can't be copied: ${lines[0] ?? `exit code ${code}`}`);
}

async function requireSpace(folder: string, target: string): Promise<void> {
  const needed = await diskUsage(folder, "pg_wal");
  const available = Math.max(0, (await freeBytesAt(target)) - DISK_RESERVE_BYTES);
  if (available < needed)
    throw new Error(
      `A copy of the database needs ${megabytes(needed)} MB, and ${megabytes(available)} MB are available. ` +
        "Free up disk space",
    );
}

const megabytes = (bytes: number) => Math.ceil(bytes / MB).toLocaleString("en");
