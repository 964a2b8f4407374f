import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Display } from "#server/cli/display.mjs";
import { CommandError } from "#server/cli/failures.ts";
import { knownSchema } from "#server/db/schema-version.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { cloneCluster, updateClone } from "#server/postgres/clone-cluster.ts";
import { clusterFolder, hasCluster } from "#server/postgres/cluster.ts";
import { readNoFollow, removeFile, removeTree, rename } from "#server/processes/open-no-follow.ts";
import { replacePrivateFile, syncFolder } from "#server/processes/private-file.ts";

/**
 * Undoes a failed upgrade of the embedded database: a copy from before the migration replaces the database if this
 * version doesn't get ready. Until it is ready, it accepts nothing (hold-writes.ts), so nothing is lost.
 */
export type Rollback = {
  /**
   * Before Postgres starts: finishes an interrupted rollback, and rolls back an upgrade that a newer version didn't
   * complete.
   *
   * @throws CommandError if the upgrade to this version has failed before
   */
  beforeStart(): Promise<void>;
  /**
   * Copies the database before it is migrated, or updates the copy that `posthouse upgrade` has prepared.
   *
   * @returns which of them, for the terminal
   */
  copy(url: string, from: number): Promise<string>;
  /** Replaces the database with another cluster. */
  replaceDatabase(by: string): Promise<void>;
  /** Deletes the prepared copy when there is nothing to migrate. */
  deletePrepared(): Promise<void>;
  /** Whether an upgrade is in progress that can be rolled back. */
  isPossible(): boolean;
  /** This version is ready: the upgrade can't be rolled back anymore. */
  discardCopy(): Promise<void>;
  /** Records that the start failed. */
  fail(reason: string): void;
  /** Rolls back if the start failed. Everything must be stopped. */
  afterStop(): Promise<void>;
};

export const copyFolder = (dataFolder: string) => `${clusterFolder(dataFolder)}.before-upgrade`;

/** A copy that was made while the previous version was running. */
export const preparedFolder = (dataFolder: string) => `${clusterFolder(dataFolder)}.prepared-copy`;

export function createRollback(dataFolder: string, display: Display): Rollback {
  const cluster = clusterFolder(dataFolder);
  const copied = copyFolder(dataFolder);
  const prepared = preparedFolder(dataFolder);
  const failed = `${cluster}.failed-upgrade`;
  const known = knownSchema();
  /** Whether the upgrade is to this version. */
  const isOwn = ({ to, postgres }: UpgradeRecord) => to === known && postgres === POSTGRES_MAJOR;
  /** The upgrade in progress in this run. */
  let current: UpgradeRecord | null = null;
  let failure: string | null = null;

  async function rollBack(record: UpgradeRecord, reason: string): Promise<void> {
    // The prepared copy belongs to the database being rolled back.
    for (const folder of [failed, prepared]) await removeTree(folder);
    if (await hasCluster(cluster)) rename(cluster, failed);
    rename(copied, cluster);
    await writeUpgrade(dataFolder, { ...record, failure: reason });
    await removeTree(failed);
  }

  /** A start that was killed left its copy. */
  async function resume(record: UpgradeRecord): Promise<void> {
    if ((await hasCluster(cluster)) && isOwn(record)) {
      current = record;
      return;
    }
    await rollBack(record, "it was interrupted");
    display.warning("The upgrade was not completed. The database was rolled back");
  }

  /** Renames the folder first, so that a half-deleted copy is never used. The next start deletes what is left. */
  async function deleteInBackground(folder: string): Promise<void> {
    if (!existsSync(folder)) return;
    await removeTree(failed);
    rename(folder, failed);
    removeTree(failed).catch((error: unknown) => {
      display.warning(`${failed} can't be deleted: ${String(error)}`);
    });
  }

  return {
    async beforeStart() {
      const record = readUpgrade(dataFolder);
      if (record?.failure && isOwn(record))
        throw new CommandError(
          `The upgrade to this version failed (${record.failure}) and was rolled back. Start the previous version. ` +
            "To try again: posthouse upgrade",
        );
      if (record && !record.failure && (await hasCluster(copied))) return resume(record);
      await removeUpgrade(dataFolder);
      if (await hasCluster(cluster)) for (const left of [copied, failed]) await removeTree(left);
    },

    async copy(url, from) {
      if (current) return "reused from the interrupted upgrade";
      const isPrepared = await updateClone(url, cluster, prepared);
      if (isPrepared) rename(prepared, copied);
      else {
        await removeTree(prepared);
        await cloneCluster(url, cluster, copied);
      }
      const startedAt = new Date().toISOString();
      const record = { from, to: known, postgres: POSTGRES_MAJOR, startedAt };
      await writeUpgrade(dataFolder, record);
      current = record;
      return isPrepared ? "updated the copy made by posthouse upgrade" : "full copy";
    },

    async replaceDatabase(by) {
      await removeTree(failed);
      rename(cluster, failed);
      rename(by, cluster);
      await syncFolder(dataFolder);
      await removeTree(failed);
    },

    deletePrepared: () => deleteInBackground(prepared),

    isPossible: () => current !== null,

    async discardCopy() {
      await removeUpgrade(dataFolder);
      current = null;
      await deleteInBackground(copied);
    },

    fail(reason) {
      failure = reason;
    },

    async afterStop() {
      if (!current || failure === null) return;
      await rollBack(current, failure);
      display.failure(
        "The upgrade failed, so the database was rolled back. Start the previous version",
      );
    },
  };
}

/** An upgrade of the schema that isn't completed, in the data folder. Schemas are named by their last migration. */
export type UpgradeRecord = {
  from: number;
  to: number;
  /** The major version of Postgres that it leads to. */
  postgres: number;
  startedAt: string;
  /** Why it failed. If set, the database was rolled back. */
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
