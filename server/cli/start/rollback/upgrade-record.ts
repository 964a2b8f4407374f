import { join } from "node:path";

import { readNoFollow, removeFile } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile, syncFolder } from "#server/processes/private-file.ts";

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

export function readUpgrade(dataFolder: string): UpgradeRecord | null {
  try {
    return JSON.parse(readNoFollow(fileIn(dataFolder))) as UpgradeRecord;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

export async function writeUpgrade(dataFolder: string, record: UpgradeRecord): Promise<void> {
  replacePrivateFile(fileIn(dataFolder), `${JSON.stringify(record, null, 2)}\n`);
  await syncFolder(dataFolder);
}

export async function removeUpgrade(dataFolder: string): Promise<void> {
  removeFile(fileIn(dataFolder));
  await syncFolder(dataFolder);
}
