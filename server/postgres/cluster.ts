import { access, readFile } from "node:fs/promises";
import { join } from "node:path";

import { readNoFollow } from "#server/processes/open-no-follow.ts";

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
export function urlAt(folder: string, port: number): string {
  return `postgres://posthouse:${readPassword(folder)}@127.0.0.1:${port}/postgres`;
}

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
