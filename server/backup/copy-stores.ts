import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { BackupError } from "./backup-error.ts";
import { copyStore } from "./copy-mail.ts";
import { backupFolders } from "./layout.ts";

/** Copies all mail stores to `mail/.backup`. Returns the number of messages in each, by `<domain>/<user>`. */
export async function copyStores(dataFolder: string): Promise<Record<string, number>> {
  const mail = join(dataFolder, "mail");
  const { mailCopy } = backupFolders(dataFolder);
  if (existsSync(mail) && lstatSync(mail).isSymbolicLink())
    throw new BackupError(
      `${mail} is a symbolic link. Mount the other disk there instead, and run the backup again`,
    );
  await rm(mailCopy, { recursive: true, force: true });
  mkdirSync(mailCopy, { recursive: true, mode: 0o700 });
  const stores: Record<string, number> = {};
  for (const domain of foldersIn(mail)) {
    mkdirSync(join(mailCopy, domain), { mode: 0o700 });
    for (const name of foldersIn(join(mail, domain))) {
      const store = `${domain}/${name}`;
      stores[store] = copyStore(join(mail, store), join(mailCopy, store));
    }
  }
  return stores;
}

const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name);
