import { join } from "node:path";

import { backupFolders } from "./layout.ts";
import { readRepository } from "./repository.ts";
import { makeOwn } from "./make-own.ts";

/** Creates, as root, the folders that the service user needs for a backup but can't create. */
export async function prepareFolders(dataFolder: string, to: string | undefined): Promise<void> {
  const wanted =
    to === undefined || to === "local" || to === "off" ? null : readRepository(to).folder;
  const { own } = backupFolders(dataFolder);
  const kept = ["keys", "mail"].map((name) => join(dataFolder, name));
  for (const folder of [own, ...kept, ...(wanted ? [wanted] : [])]) await makeOwn(folder);
}
