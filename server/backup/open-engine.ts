import { join } from "node:path";

import { readOrCreateSecret } from "#server/core/shared/secrets/read-or-create-secret.ts";

import { BackupError } from "./backup-error.ts";
import { backupFolders, keyFile } from "./layout.ts";
import { readRepository, type Repository } from "./repository.ts";
import { type Restic, restic } from "./restic.ts";

/**
 * The appliance's repository.
 *
 * @param to as in the setting `backup_to`
 * @throws BackupError or RepositoryError
 */
export function openEngine(
  dataFolder: string,
  to: string,
): { repository: Repository; key: string; engine: Restic } {
  if (to === "off")
    throw new BackupError(
      "No destination: use --to, or set one with `posthouse settings set backup_to FOLDER|URL`",
    );
  const folders = backupFolders(dataFolder);
  const repository = readRepository(to === "local" ? folders.repository : to);
  const key = readOrCreateSecret(keyFile(dataFolder));
  const engine = restic({
    ...{ repository, key, cacheFolder: folders.cache, keysFolder: join(dataFolder, "keys") },
    paths: [folders.own, join(dataFolder, "postgres"), join(dataFolder, "mail")],
  });
  return { repository, key, engine };
}
