import { access, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Whether `folder` holds a database cluster. initdb writes PG_VERSION early, so an interrupted one is told by global/pg_control. */
export async function hasCluster(folder: string): Promise<boolean> {
  return access(join(folder, "global/pg_control")).then(
    () => true,
    () => false,
  );
}

export const passwordFile = (folder: string) => `${folder}.password`;

/** The URL of the appliance's database on the cluster's server. */
export async function urlAt(folder: string, port: number): Promise<string> {
  const password = await readFile(passwordFile(folder), "utf8");
  return `postgres://posthouse:${password}@127.0.0.1:${port}/postgres`;
}
