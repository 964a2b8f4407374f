import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import {
  createFolder,
  readNoFollow,
  removeFile,
  removeTree,
  rename,
} from "#server/processes/open-no-follow.ts";
import {
  createPrivateFile,
  replacePrivateFile,
  syncFolder,
} from "#server/processes/private-file.ts";
import type { FileLock } from "#server/processes/run-lock.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";

/** The cluster folder of a data folder's embedded server. */
export const clusterFolder = (dataFolder: string) => join(dataFolder, "postgres");

/** Whether `folder` holds a database cluster. Postgres can't start without global/pg_control. */
export async function hasCluster(folder: string): Promise<boolean> {
  return access(join(folder, "global/pg_control")).then(
    () => true,
    () => false,
  );
}

/** The major version of Postgres that created a cluster; null if there is none. */
export async function majorOf(folder: string): Promise<number | null> {
  if (!(await hasCluster(folder))) return null;
  return Number(readNoFollow(join(folder, "PG_VERSION")).trim());
}

/** Exists from the beginning of a restore until there is a database, so that no empty one takes its place. */
export const restoreMarker = (folder: string) => `${folder}.restoring`;

export const passwordFile = (folder: string) => `${folder}.password`;

/** The password of the superuser. */
export function readPassword(folder: string): string {
  try {
    return readNoFollow(passwordFile(folder));
  } catch (error) {
    throw new Error(`The password of the database can't be read: ${String(error)}`, {
      cause: error,
    });
  }
}

/** The superuser's connection string to the appliance's database on the cluster's server. */
export const urlAt = (folder: string, port: number): string =>
  `postgres://posthouse:${readPassword(folder)}@127.0.0.1:${port}/postgres`;

/** The port of the server that runs on this cluster, or null. Postgres keeps it in postmaster.pid. */
export async function runningPort(folder: string): Promise<number | null> {
  let lines: string[];
  try {
    lines = readNoFollow(join(folder, "postmaster.pid")).split("\n");
  } catch {
    return null;
  }
  const [pid, , , port] = lines;
  return (await isServerOf(folder, Number(pid))) ? Number(port) : null;
}

/** Also checks the command line: after a crash, the PID may belong to another program. */
async function isServerOf(folder: string, pid: number): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.split("\0").includes(folder);
}

/**
 * Creates a database cluster in a folder that doesn't exist yet. Builds it under a temporary name and
 * renames it when complete, so that an incomplete cluster and real data are never confused.
 *
 * @param lock the cluster's lock, which initdb inherits
 * @throws Error when a cluster exists or existed before, or when one should be restored; nothing is removed or replaced
 */
export async function createCluster(lock: FileLock, initdb: string, folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await requireAbsent(folder, draft);
  await removeTree(draft);
  const owner = await serviceUser();
  createFolder(draft, { owner });
  const password = randomBytes(24).toString("base64url");
  // initdb reads the password from a file that the service user can read; delete it right after.
  const handOver = `${draft}.password`;
  removeFile(handOver);
  createPrivateFile(handOver, password, owner);
  try {
    await runInitdb(lock, initdb, draft, handOver);
  } finally {
    removeFile(handOver);
  }
  // Backups need it, and run as the service user.
  replacePrivateFile(passwordFile(folder), password, owner);
  rename(draft, folder);
  await syncFolder(dirname(folder));
}

/** Also fails if only the password file is left: a cluster existed, and a new one would hide its loss. */
async function requireAbsent(folder: string, draft: string): Promise<void> {
  const marker = restoreMarker(folder);
  if (existsSync(marker))
    throw new Error(
      `A restore into ${dirname(folder)} wasn't completed. Run posthouse restore again. ` +
        `To start with an empty database instead, delete ${marker}`,
    );
  const found = existsSync(folder) ? await readdir(folder) : null;
  const advice = `Restore ${folder} from a backup. To start with an empty database instead`;
  if (found)
    throw new Error(
      `${folder} is not a complete database: global/pg_control is missing ` +
        `(found ${found.length === 0 ? "an empty folder" : found.toSorted().join(", ")}). Nothing was changed. ` +
        `${advice}, move the folder and ${passwordFile(folder)} elsewhere`,
    );
  if (existsSync(passwordFile(folder)) && !existsSync(draft))
    throw new Error(
      `${folder} is missing, but ${passwordFile(folder)} shows that a database existed. ` +
        `${advice}, move that file elsewhere`,
    );
}

async function runInitdb(lock: FileLock, initdb: string, folder: string, passwordFrom: string) {
  const { command, args } = await asServiceUser(
    {
      command: initdb,
      args: [
        "-D",
        folder,
        "-U",
        "posthouse",
        `--pwfile=${passwordFrom}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C.UTF-8",
        "--data-checksums",
      ],
    },
    { paths: [initdb, folder], deathSignal: "TERM" },
  );
  const child = spawn(command, args, { cwd: "/", stdio: ["ignore", "ignore", "pipe", lock.fd] });
  let complaint = "";
  child.stderr!.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const code = await exitCodeOf(child);
  if (code !== 0)
    throw new Error(
      `initdb could not create the database in ${folder}: ${complaint.trim().split("\n").at(-1) ?? ""}`,
    );
}
