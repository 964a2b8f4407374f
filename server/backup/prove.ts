import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { pluralize } from "#server/core/shared/text.ts";
import { exitCodeOf, writeInput } from "#server/processes/child-exit.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/machine.ts";
import { programFile } from "#server/processes/program-file.ts";

import { BackupError, backupFolders, MAIL_COPY, type Manifest } from "./layout.ts";
import { findRestorePoint } from "./find-backup.ts";
import {
  type CopyOptions,
  type CopyReport,
  restoreCopy,
  restoreManifest,
} from "./restored-copy.ts";
import type { Restic } from "./restic.ts";

/** How many mailboxes to restore and read, chosen at random. */
const SAMPLE_MAX = 50;
/** The usual maximum size of a WAL snapshot. */
const WAL_BYTES = 300e6;

const INSPECT = programFile("server/cli/posthouse.ts");

/**
 * Restores a backup into a scratch folder, starts Postgres on it and checks everything in it: the whole database, that
 * every message is in the repository, and the mail of up to 50 mailboxes.
 *
 * @returns what was verified, for display
 * @throws BackupError with what is wrong
 */
export async function prove(
  dataFolder: string,
  engine: Restic,
  { filesSnapshot, databaseBytes }: { filesSnapshot: string; databaseBytes: number },
): Promise<string> {
  const point = await findRestorePoint(engine, filesSnapshot);
  return inScratch(dataFolder, async (scratch) => {
    const known = await restoreManifest(engine, join(scratch, "manifest"), filesSnapshot);
    const found = await requireAllMessages(engine, filesSnapshot, known);
    const copy = join(scratch, "data");
    const stores = sampleOf(known);
    const needed = stores.reduce((sum, store) => sum + found[store]!.bytes, databaseBytes);
    await requireSpace(dataFolder, needed);
    const manifest = await restoreCopy(engine, copy, point, stores);
    const report = await inspect(copy, { stores, isKept: false });
    return describe(report, manifest);
  });
}

/**
 * Restores the database of a restore point after the backup before, which replays all WAL in between, and checks it.
 *
 * @returns what was verified, for display
 * @throws BackupError with what is wrong
 */
export async function proveChanges(
  dataFolder: string,
  engine: Restic,
  { snapshot, databaseBytes }: { snapshot: string; databaseBytes: number },
): Promise<string> {
  const point = await findRestorePoint(engine, snapshot);
  return inScratch(dataFolder, async (scratch) => {
    await requireSpace(dataFolder, databaseBytes + point.wal.length * WAL_BYTES);
    const copy = join(scratch, "data");
    const manifest = await restoreCopy(engine, copy, point, []);
    await requireAllMessages(engine, snapshot, manifest);
    const { rows, accepted } = await inspect(copy, { stores: [], isKept: false });
    return `changes since ${point.base.time.slice(0, 16)}Z replayed: ${pluralize(rows, "row")}, ledger exact (${pluralize(accepted, "recipient")})`;
  });
}

async function inScratch<T>(dataFolder: string, work: (scratch: string) => Promise<T>): Promise<T> {
  const { proof: scratch } = backupFolders(dataFolder);
  await rm(scratch, { recursive: true, force: true });
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function requireSpace(dataFolder: string, needed: number): Promise<void> {
  if ((await freeBytesAt(dataFolder)) - needed < DISK_RESERVE_BYTES)
    throw new BackupError("Stored, but there is too little disk space to restore and check it");
}

/**
 * Compares the files in the repository with the number of messages that were copied from each mailbox.
 *
 * @returns what the repository has of each mailbox
 */
async function requireAllMessages(engine: Restic, snapshot: string, { stores }: Manifest) {
  const found: Record<string, { count: number; bytes: number }> = {};
  const pattern = new RegExp(`^/${MAIL_COPY.replace(".", "[.]")}/([^/]+/[^/]+)/.*/u[.]\\d+$`);
  await engine.files(
    snapshot,
    (path, bytes) => {
      const store = pattern.exec(path)?.[1];
      if (!store) return;
      const sum = (found[store] ??= { count: 0, bytes: 0 });
      sum.count += 1;
      sum.bytes += bytes;
    },
    `/${MAIL_COPY}`,
  );
  for (const [store, count] of Object.entries(stores))
    if ((found[store]?.count ?? 0) !== count)
      throw new BackupError(
        `The backup has ${found[store]?.count ?? 0} of ${pluralize(count, "message")} of the mailbox in mail/${store}`,
      );
  return found;
}

/** Random mailboxes with mail. */
function sampleOf({ stores }: Manifest): string[] {
  const left = Object.keys(stores).filter((store) => stores[store]! > 0);
  const chosen: string[] = [];
  while (left.length > 0 && chosen.length < SAMPLE_MAX)
    chosen.push(...left.splice(randomInt(left.length), 1));
  return chosen;
}

/** Checks a copy in a separate process, which uses the copy's settings, above all its instance key. */
export async function inspect(copy: string, options: CopyOptions): Promise<CopyReport> {
  const child = spawn(process.execPath, [INSPECT, "inspect-backup"], {
    env: { ...process.env, DATABASE_URL: "", POSTHOUSE_DATA: copy, NODE_NO_WARNINGS: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  writeInput(child, JSON.stringify(options));
  const [code, stdout, stderr] = await Promise.all([
    exitCodeOf(child),
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code === 0) return JSON.parse(stdout) as CopyReport;
  const reason = stderr
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^posthouse: /, "");
  throw new BackupError(`The restored copy failed a check: ${reason || `exit code ${code}`}`);
}

function describe(
  { tables, rows, accepted, messages, mailboxes }: CopyReport,
  { stores }: Manifest,
) {
  const all = Object.values(stores).reduce((sum, count) => sum + count, 0);
  return [
    `restored and started`,
    `${pluralize(rows, "row")} in ${pluralize(tables, "table")}`,
    `ledger exact (${pluralize(accepted, "recipient")})`,
    "keys usable",
    `${pluralize(all, "message")} stored, ${messages.toLocaleString("en")} in ${pluralize(mailboxes, "mailbox", "mailboxes")} read back`,
  ].join(", ");
}
