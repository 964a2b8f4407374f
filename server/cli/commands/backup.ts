import type { Command } from "commander";

import type { BackupReport } from "#server/backup/back-up.ts";
import { config } from "#server/config.ts";

import { print } from "./print.ts";

type Options = { to?: string; json?: boolean; ifDue?: boolean };

export function addBackupCommand(program: Command): void {
  program
    .command("backup")
    .description(
      "back up the running appliance, and verify the backup by restoring it to a scratch folder",
    )
    .option(
      "--to <folder|url>",
      "folder, sftp://user@host/path or s3://host/bucket/path (default: the setting backup_to)",
    )
    .option("--if-due", "do nothing unless the nightly backup is due")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(async (options: Options) => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const work = process.getuid!() === 0 ? runUnprivileged : run;
      await withDatabase((_, url) => work(url, options), { asAdmin: true });
    });
  program
    .command("store-changes", { hidden: true })
    .description("store what changed since the last backup (used by the worker)")
    .action(async () => {
      const { withDatabase } = await import("#server/cli/with-database.ts");
      const work = process.getuid!() === 0 ? changesUnprivileged : runChanges;
      await withDatabase((_, url) => work(url), { asAdmin: true });
    });
  program
    .command("inspect-backup", { hidden: true })
    .description("check a restored copy (used by backup)")
    .action(async () => {
      const { text } = await import("node:stream/consumers");
      const { inspectCopy } = await import("#server/backup/restored-copy.ts");
      const options = JSON.parse(await text(process.stdin)) as Parameters<typeof inspectCopy>[1];
      console.log(JSON.stringify(await inspectCopy(config().dataFolder, options)));
    });
}

const HELP = `
Backups are encrypted, and store only what is new. The recovery key is printed when a repository is created, and kept in
keys/backup.key of the data folder. Keep a copy elsewhere: without it, the backups can't be read.

For s3://, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. For sftp://, put a private key at keys/backup_ssh_key of the data
folder, readable by the service user only.`;

async function run(url: string, { to, json, ifDue }: Options): Promise<void> {
  const { connect } = await import("#server/db/client.ts");
  const { backUp } = await import("#server/backup/back-up.ts");
  const { isBackupDue } = await import("#server/core/operations/backups/backups.ts");
  const { Display } = await import("#server/cli/display.mjs");
  const { backupFolders } = await import("#server/backup/layout.ts");
  const { isLocked } = await import("#server/processes/run-lock.ts");
  const display = new Display(process.stderr);
  const connection = connect(url, { max: 2 });
  try {
    if (ifDue && (await isLocked(backupFolders(config().dataFolder).lock))) return;
    if (ifDue && !(await isBackupDue(connection.db, config()))) return;
    const step = (title: string, work: () => Promise<string>) => display.step(title, work);
    const report = await backUp(connection, { config: config(), url }, { to, step });
    print(json, report, describe(report));
  } finally {
    await connection.close();
  }
}

async function runChanges(url: string): Promise<void> {
  const { connect } = await import("#server/db/client.ts");
  const { storeDueChanges } = await import("#server/backup/store-changes.ts");
  const connection = connect(url, { max: 2 });
  try {
    await storeDueChanges(connection, config());
  } finally {
    await connection.close();
  }
}

async function changesUnprivileged(url: string): Promise<void> {
  const { runAsService } = await import("#server/cli/run-as-service.ts");
  const { dataFolder } = config();
  await runAsService(
    { name: "store-changes", options: {} },
    { dataFolder, env: { DATABASE_URL: url } },
  );
}

/**
 * Runs this command again as the service user. Root must not read the mail: its owner could replace a file by a link to
 * one that only root can read.
 */
async function runUnprivileged(url: string, { to, ...options }: Options): Promise<void> {
  const { prepareFolders } = await import("#server/backup/prepare.ts");
  const { absoluteTarget } = await import("#server/backup/repository.ts");
  const { runAsService } = await import("#server/cli/run-as-service.ts");
  const { dataFolder } = config();
  await prepareFolders(dataFolder, to);
  const given = { ...options, to: to && absoluteTarget(to) };
  await runAsService(
    { name: "backup", options: given },
    { dataFolder, env: { DATABASE_URL: url } },
  );
}

function describe({ repository, snapshot, proof, recoveryKey }: BackupReport): string {
  const lines = [`Backed up to ${repository} (${snapshot.slice(0, 8)})`, `Verified: ${proof}`];
  if (recoveryKey)
    lines.push(
      "",
      `Recovery key: ${recoveryKey}`,
      "Keep it outside this server. Without it, this repository can't be read.",
    );
  return lines.join("\n");
}
