import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type Command, Option } from "commander";

import type { BackupReport } from "#server/backup/back-up.ts";
import type { Restic } from "#server/backup/restic.ts";
import type { RestoredCopy } from "#server/backup/restore.ts";
import type { RestoreFlags } from "#server/cli/as-service.ts";
import { CommandError } from "#server/cli/failures.ts";
import { config } from "#server/config.ts";
import { pluralize } from "#server/core/shared/text.ts";

import { print, table } from "./print.ts";

type BackupFlags = { to?: string; json?: boolean; ifDue?: boolean };

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
    .action(async (options: BackupFlags) => {
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

async function run(url: string, { to, json, ifDue }: BackupFlags): Promise<void> {
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
  const { storeDueChanges } = await import("#server/backup/store-backup.ts");
  const connection = connect(url, { max: 2 });
  try {
    await storeDueChanges(connection, config());
  } finally {
    await connection.close();
  }
}

async function changesUnprivileged(url: string): Promise<void> {
  const { runAsService } = await import("#server/cli/as-service.ts");
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
async function runUnprivileged(url: string, { to, ...options }: BackupFlags): Promise<void> {
  const { prepareFolders } = await import("#server/backup/prepare.ts");
  const { absoluteTarget } = await import("#server/backup/repository.ts");
  const { runAsService } = await import("#server/cli/as-service.ts");
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

export function addRestoreCommand(program: Command): void {
  program
    .command("restore")
    .description("restore everything into a data folder, or the mail of one mailbox")
    .option("--from <folder|url>", "repository (default: the one in the data folder)")
    .option(
      "--at <time|id>",
      "the last restore point before this time, or a backup's id (default: the last restore point)",
    )
    .option(
      "--key-file <file>",
      "file with the recovery key (default: POSTHOUSE_BACKUP_KEY, or the data folder's)",
    )
    .option("--list", "list backups, with the newest restore point after each")
    .option("--mailbox <address>", "restore only this mailbox, while the appliance runs")
    .option("--folder <name>", "with --mailbox: only this folder, such as INBOX")
    .option(
      "--replace",
      "replace what is there: move the data folder's content aside, or undo changes in the mailbox",
    )
    .option("--release", "send the mail that a restore put on hold")
    .option("--json", "print JSON")
    .addOption(new Option("--check", "change nothing, used by restore").hideHelp())
    .addOption(new Option("--copy", "only make the copy, used by restore").hideHelp())
    .addOption(
      new Option(
        "--root <folder>",
        "find the installation under this folder, for tests",
      ).hideHelp(),
    )
    .addHelpText("after", RESTORE_HELP)
    .action(async (options: RestoreFlags) => {
      if (options.release) return release(options);
      const { restoreAsService } = await import("#server/cli/as-service.ts");
      if (await restoreAsService(options)) return;
      const engine = await openRepository(options);
      await engine.unlock();
      if (options.list) return list(engine, options);
      if (options.mailbox) return restoreMail(engine, options.mailbox, options);
      if (options.folder) throw new CommandError("--folder needs --mailbox");
      if (options.copy) return makeCopy(engine, options);
      return restoreAll(engine, options);
    });
}

const RESTORE_HELP = `
Everything: on a server where Posthouse is installed, this stops it and starts it again. Otherwise stop it yourself, or set
POSTHOUSE_DATA to an empty folder, and start it afterwards. The hostname can differ from that of the backup.

Mail that was queued or scheduled at the time of the restore point may have been sent or canceled since then. So with --at, or if the
restore point is more than ten minutes old, the outgoing mail of the companies that have such mail is put on hold. Operators release or
drop it under Queue; --release releases all of it. Released mail has the same Message-ID as before.

One mailbox: its messages are added below a folder "Restored <day>". With --replace, the mailbox becomes what it was, and
newer messages are deleted.`;

async function openRepository({ from, keyFile }: RestoreFlags): Promise<Restic> {
  const { backupFolders, keyFile: ownKeyFile } = await import("#server/backup/layout.ts");
  const { readRepository } = await import("#server/backup/repository.ts");
  const { makeOwn } = await import("#server/backup/prepare.ts");
  const { restic } = await import("#server/backup/restic.ts");
  const { readKey } = await import("#server/cli/as-service.ts");
  const { createFolder, readNoFollow } = await import("#server/processes/open-no-follow.ts");
  const { dataFolder } = config();
  const folders = backupFolders(dataFolder);
  // The data folder itself stays this process's: if root's, no service can replace what is in it.
  createFolder(dataFolder, { mode: 0o755 });
  await makeOwn(folders.own);
  return restic({
    repository: readRepository(from ?? folders.repository),
    key:
      keyFile === undefined && process.env.POSTHOUSE_BACKUP_KEY
        ? process.env.POSTHOUSE_BACKUP_KEY
        : readKey(() =>
            keyFile ? readFileSync(keyFile, "utf8") : readNoFollow(ownKeyFile(dataFolder)),
          ),
    cacheFolder: folders.cache,
    keysFolder: join(dataFolder, "keys"),
    paths: [folders.own],
  });
}

async function list(engine: Restic, { json }: RestoreFlags): Promise<void> {
  const { listRestorePoints } = await import("#server/backup/find-backup.ts");
  const points = await listRestorePoints(engine);
  const found = points
    .filter(({ id, base }) => id === base.id)
    .map(({ id, time }) => {
      const last = points.findLast(({ base }) => base.id === id)!;
      return { id, time, until: last.time };
    });
  if (found.length === 0) throw new CommandError("The repository has no complete backup");
  const at = (time: string) => time.slice(0, 19).replace("T", " ");
  const rows = found.map(({ id, time, until }) => [
    id.slice(0, 8),
    at(time),
    until === time ? "" : at(until),
  ]);
  print(json, found, table([["id", "time (UTC)", "restore points until"], ...rows]));
}

async function restoreAll(engine: Restic, options: RestoreFlags): Promise<void> {
  const { checkRestore, makeCheckedCopy, restoreEverything } =
    await import("#server/backup/restore.ts");
  const { claimDataFolder } = await import("#server/cli/start/claim-data-folder.ts");
  const { runRestoreAsService } = await import("#server/cli/as-service.ts");
  const { Display } = await import("#server/cli/display.mjs");
  const { at, replace = false, json } = options;
  const { dataFolder, databaseUrl, hostname } = config();
  if (databaseUrl)
    throw new CommandError(
      "DATABASE_URL is set, but a backup contains the embedded Postgres. Unset it to restore",
    );
  if (options.check) return checkRestore(engine, dataFolder, { at, replace });
  const claim = await claimDataFolder(dataFolder);
  const now = new Date();
  const makeCopy = async () =>
    process.getuid!() === 0
      ? (JSON.parse(
          await runRestoreAsService({ ...options, copy: true }, { isQuiet: true }),
        ) as RestoredCopy)
      : makeCheckedCopy(engine, dataFolder, { at, now });
  try {
    const display = new Display(process.stderr);
    let report: Awaited<ReturnType<typeof restoreEverything>> | undefined;
    await display.step("Restore", async () => {
      report = await restoreEverything(dataFolder, { replace, now }, makeCopy);
      const { copy, manifest } = report;
      return `backup of ${manifest.time.slice(0, 16)}Z, started and checked: ${pluralize(copy.rows, "row")}, ledger exact (${pluralize(copy.accepted, "recipient")}), ${pluralize(copy.messages, "message")} read`;
    });
    const { manifest, previous } = report!;
    const lines = [
      `Restored ${manifest.time} to ${dataFolder}, for the next start of the appliance`,
    ];
    if (previous)
      lines.push(`The previous data is in ${previous}. Delete it when you no longer need it`);
    const { onHold } = report!.copy;
    if (onHold.length > 0)
      lines.push(
        `Outgoing mail of ${onHold.join(", ")} is on hold, because it may have been sent or canceled after the restore point. After the start, release or drop it under Queue in the console, or release all of it: posthouse restore --release`,
      );
    if (manifest.appliance.hostname !== hostname)
      lines.push(
        `The backup is from ${manifest.appliance.hostname}, and this host is ${hostname}: publish the DNS records that the console shows, MX first`,
      );
    for (const name of report!.companions)
      if (!config()[name])
        lines.push(
          `The backup contains ${name} data, but ${name} is off on this server. To turn it on: sudo posthouse ${name} enable && sudo systemctl restart posthouse. With Docker: add ${name} to COMPOSE_PROFILES in .env`,
        );
    print(json, report, lines.join("\n"));
  } finally {
    claim.release();
  }
}

/** As the service user, for root. */
async function makeCopy(engine: Restic, { at }: RestoreFlags): Promise<void> {
  const { makeCheckedCopy } = await import("#server/backup/restore.ts");
  const now = new Date();
  console.log(JSON.stringify(await makeCheckedCopy(engine, config().dataFolder, { at, now })));
}

async function release({ json }: RestoreFlags): Promise<void> {
  const { withDatabase } = await import("#server/cli/with-database.ts");
  const { releaseRestored } = await import("#server/core/operations/queue/holds.ts");
  const released = await withDatabase((db) => releaseRestored(db));
  const lines = released.map((name) => `Released the outgoing mail of ${name}`);
  print(json, { released }, lines.join("\n") || "No mail is on hold after a restore");
}

async function restoreMail(engine: Restic, mailbox: string, options: RestoreFlags): Promise<void> {
  const { withDatabase } = await import("#server/cli/with-database.ts");
  const { findStore, listStores } =
    await import("#server/core/mailboxes/mailboxes/mailbox-removal.ts");
  const { findRestorePoint } = await import("#server/backup/find-backup.ts");
  const { restoreMailbox } = await import("#server/backup/restore-mailbox.ts");
  const address = mailbox.toLowerCase();
  const { store, used } = await withDatabase(async (db) => ({
    store: await findStore(db, address),
    used: await listStores(db),
  }));
  if (store === null) throw new CommandError(`Mailbox ${address} not found. Create it first`);
  const { id } = await findRestorePoint(engine, options.at);
  const { folder = null, replace = false, json } = options;
  const wanted = { address, store, used, folder, replace, filesSnapshot: id };
  const done = await restoreMailbox(engine, config().dataFolder, wanted);
  print(
    json,
    done,
    `Restored ${pluralize(done.messages, "message")} of ${address} into ${done.into}` +
      (done.collections > 0
        ? `, and ${pluralize(done.collections, "calendar or address book", "calendars and address books")}`
        : ""),
  );
}
