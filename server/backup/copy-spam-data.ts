import { existsSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

import { backupFolders, SPAM_DATA } from "./layout.ts";

const FILES = ["learned.sqlite", "ham.sqlite", "spam.sqlite"];

/**
 * Copies what the spam filter has learned while it runs. A file that can't be read is left out: the filter can relearn
 * it, so that must not fail the backup.
 *
 * @returns whether there is anything
 */
export async function copySpamData(dataFolder: string): Promise<boolean> {
  const { spamCopy } = backupFolders(dataFolder);
  await rm(spamCopy, { recursive: true, force: true });
  let isAny = false;
  for (const name of FILES) {
    const file = join(dataFolder, SPAM_DATA, name);
    if (!existsSync(file)) continue;
    mkdirSync(spamCopy, { recursive: true, mode: 0o700 });
    isAny = (await copyDatabase(file, join(spamCopy, name))) || isAny;
  }
  return isAny;
}

async function copyDatabase(from: string, to: string): Promise<boolean> {
  try {
    using database = new DatabaseSync(from, { readOnly: true });
    await backup(database, to);
    return true;
  } catch {
    await rm(to, { force: true });
    return false;
  }
}
