import { existsSync, lstatSync, readdirSync } from "node:fs";
import { chown, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { passwordFile, clusterFolder } from "#server/postgres/cluster.ts";

import { BackupError } from "./backup-error.ts";
import type { CopyReport } from "./inspect-copy.ts";
import type { Manifest } from "./layout.ts";
import { inspect } from "./prove.ts";
import { makeOwn } from "./make-own.ts";
import type { Restic } from "./restic.ts";
import { restoreCopy } from "./restore-copy.ts";

/** What a backup restores, in the order in which it is put in place: the database last, because it makes the folder usable. */
const RESTORED = ["keys", "tls", "mail", "postgres.password", "postgres"];
/** What is moved aside: also what belongs to the old database, such as an upgrade of it that isn't completed. */
const REPLACED = [...RESTORED, "dovecot", "postgres.before-upgrade", "upgrade.json"].toReversed();

export type RestoreReport = {
  manifest: Manifest;
  copy: CopyReport;
  /** Where the data that was there before is now. */
  previous: string | null;
};

/**
 * Restores a whole data folder that no appliance uses. Nothing is moved before the restored copy has started and passed its
 * checks.
 *
 * @param replace whether to move existing data aside; else it is an error
 * @throws BackupError
 */
export async function restoreEverything(
  engine: Restic,
  dataFolder: string,
  { filesSnapshot, replace, now }: { filesSnapshot: string; replace: boolean; now: Date },
): Promise<RestoreReport> {
  const present = REPLACED.filter((name) => hasContent(join(dataFolder, name)));
  if (present.length > 0 && !replace)
    throw new BackupError(
      `${dataFolder} already has data. Use --replace to move it to a folder beside the restored data, or set POSTHOUSE_DATA to a new folder`,
    );
  const copy = join(dataFolder, "restoring");
  await rm(copy, { recursive: true, force: true });
  try {
    const manifest = await restoreCopy(engine, copy, { filesSnapshot });
    // All mailboxes: this also adds messages to the index that arrived just after it was copied.
    const stores = Object.keys(manifest.stores);
    const report = await inspect(copy, { stores, isKept: true });
    const previous = await moveAside(dataFolder, present, now);
    for (const name of RESTORED) {
      if (!existsSync(join(copy, name))) continue;
      await rm(join(dataFolder, name), { recursive: true, force: true });
      await rename(join(copy, name), join(dataFolder, name));
    }
    // Read by the supervisor only.
    if (process.getuid!() === 0) await chown(passwordFile(clusterFolder(dataFolder)), 0, 0);
    return { manifest, copy: report, previous };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** An empty folder, such as `keys` in a new data folder, isn't data. */
function hasContent(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (!found.isDirectory() || readdirSync(path).length > 0);
}

async function moveAside(dataFolder: string, names: string[], now: Date): Promise<string | null> {
  if (names.length === 0) return null;
  const aside = join(
    dataFolder,
    `before-restore-${now.toISOString().slice(0, 19).replaceAll(":", "")}`,
  );
  await makeOwn(aside);
  for (const name of names) await rename(join(dataFolder, name), join(aside, name));
  return aside;
}
