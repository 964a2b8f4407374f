import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { syncFolder } from "#server/processes/sync-folder.ts";

/** An upgrade of the schema that isn't completed, in the data folder. Schemas are named by their last migration. */
export type UpgradeRecord = {
  from: number;
  to: number;
  /** The major version of Postgres that it leads to. */
  postgres: number;
  startedAt: string;
  /** Why it failed. The database is as before the upgrade then. */
  failure?: string;
};

const fileIn = (dataFolder: string) => join(dataFolder, "upgrade.json");

export async function readUpgrade(dataFolder: string): Promise<UpgradeRecord | null> {
  const text = await readFile(fileIn(dataFolder), "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as UpgradeRecord);
}

export async function writeUpgrade(dataFolder: string, record: UpgradeRecord): Promise<void> {
  const draft = `${fileIn(dataFolder)}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { flush: true, flag: "wx" });
  await rename(draft, fileIn(dataFolder));
  await syncFolder(dataFolder);
}

export async function removeUpgrade(dataFolder: string): Promise<void> {
  await rm(fileIn(dataFolder), { force: true });
  await syncFolder(dataFolder);
}
