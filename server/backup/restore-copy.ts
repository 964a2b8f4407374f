import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { clusterFolder, passwordFile } from "#server/postgres/cluster.ts";

import { backupFolders, MAIL_COPY, type Manifest, SPAM_DATA } from "./layout.ts";
import type { RestorePoint } from "./find-backup.ts";
import { makeOwn } from "./make-own.ts";
import { placeWal } from "./place-wal.ts";
import type { Restic } from "./restic.ts";

/**
 * Restores a backup or a later restore point into an empty folder, as a data folder that Posthouse can start on.
 *
 * @param stores whose mail to restore, `<domain>/<user>`; all by default
 */
export async function restoreCopy(
  engine: Restic,
  target: string,
  { id, base, wal }: RestorePoint,
  stores?: string[],
): Promise<Manifest> {
  await makeOwn(target);
  await engine.restore(base.id, target, ["/backup", "/postgres"]);
  const { databaseSnapshot } = await readManifest(target);
  const include = stores && [...["/backup", "/keys", "/tls"], ...stores.map(patternOf)];
  await engine.restore(id, target, include);
  const manifest = await readManifest(target);
  await engine.restore(databaseSnapshot!, target);
  if (manifest.position) await placeWal(engine, target, { wal, position: manifest.position });
  await placeMail(target);
  const folders = backupFolders(target);
  if (existsSync(folders.spamCopy)) {
    await makeOwn(dirname(join(target, SPAM_DATA)));
    await rename(folders.spamCopy, join(target, SPAM_DATA));
  }
  const cluster = clusterFolder(target);
  await rename(folders.label, join(cluster, "backup_label"));
  await rename(folders.password, passwordFile(cluster));
  return manifest;
}

/** Reads the manifest of a restored copy. */
export async function readManifest(dataFolder: string): Promise<Manifest> {
  return JSON.parse(await readFile(backupFolders(dataFolder).manifest, "utf8")) as Manifest;
}

/** Restores only the description of a backup. */
export async function restoreManifest(
  engine: Restic,
  target: string,
  filesSnapshot: string,
): Promise<Manifest> {
  await makeOwn(target);
  await engine.restore(filesSnapshot, target, ["/backup/manifest.json"]);
  return readManifest(target);
}

/** Restores the mail of some stores to `mail` below the target. */
export async function restoreStores(
  engine: Restic,
  target: string,
  { filesSnapshot, stores }: { filesSnapshot: string; stores: string[] },
): Promise<void> {
  await makeOwn(target);
  await engine.restore(filesSnapshot, target, stores.map(patternOf));
  await placeMail(target);
}

/** restic's pattern for a store; the local part of an address may contain wildcards. */
const patternOf = (store: string) => `/${MAIL_COPY}/${store.replaceAll(/[*?[\\]/g, "\\$&")}`;

async function placeMail(target: string): Promise<void> {
  const { mailCopy } = backupFolders(target);
  const mail = join(target, "mail");
  if (!existsSync(mailCopy)) {
    await mkdir(mail, { recursive: true, mode: 0o700 });
    return;
  }
  const aside = join(target, "mail.restored");
  await rename(mailCopy, aside);
  await rm(mail, { recursive: true });
  await rename(aside, mail);
}
