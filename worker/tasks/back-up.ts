import { config } from "#server/config.ts";
import { isBackupDue } from "#server/core/operations/backups/backups.ts";
import { areChangesDue } from "#server/core/operations/backups/stored-changes.ts";
import { db } from "#server/db/pool.ts";
import { defineTask } from "#worker/define-task.ts";
import { runBackupCommand } from "#worker/run-backup-command.ts";

/**
 * Starts the nightly backup. Safe to run concurrently: the second backup finds the lock of the first and
 * exits. The record of the run and Health show why it failed.
 */
export const backUpTask = defineTask("back_up", async () => {
  if (await isBackupDue(db(), config()))
    await runBackupCommand(["backup", "--if-due"], "the backup failed");
});

/** Stores a restore point if one is due. Safe to run concurrently, like a backup. */
export const storeChangesTask = defineTask("store_changes", async () => {
  if (await areChangesDue(db(), config(), new Date()))
    await runBackupCommand(["store-changes"], "changes couldn't be stored");
});
