import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "#server/processes/open-no-follow.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { readRepository } from "./repository.ts";
import { BackupError, backupFolders } from "./layout.ts";

/** Creates, as root, the folders that the service user needs for a backup but can't create. */
export async function prepareFolders(dataFolder: string, to: string | undefined): Promise<void> {
  const wanted =
    to === undefined || to === "local" || to === "off" ? null : readRepository(to).folder;
  const { own } = backupFolders(dataFolder);
  const kept = ["keys", "mail"].map((name) => join(dataFolder, name));
  for (const folder of [own, ...kept, ...(wanted ? [wanted] : [])]) await makeOwn(folder);
}

/**
 * Creates a folder for the service user; leaves an existing one to its owner.
 *
 * @throws SymbolicLinkError
 */
export async function makeOwn(folder: string): Promise<void> {
  createFolder(folder, { owner: await serviceUser() });
}

/**
 * Creates a folder for the service user, and checks that an existing one can be written to.
 *
 * @throws BackupError
 */
export async function makeWritable(folder: string): Promise<void> {
  try {
    await makeOwn(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EROFS")
      throw new BackupError(
        `${folder} is read-only here. If systemd restricts the service, allow it: systemctl edit posthouse, with [Service] and ReadWritePaths=${folder}`,
        { cause: error },
      );
    // By number: a container's user has no name on its host.
    const { name, uid } = await serviceUser();
    throw new BackupError(
      `The user ${name} can't create files in ${folder}. Create it and run, as root: chown ${uid} ${folder}`,
      { cause: error },
    );
  }
}
