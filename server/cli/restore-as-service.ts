import { existsSync, readFileSync, statSync } from "node:fs";

import { config } from "#server/config.ts";

import { CommandError } from "./command-error.ts";

export type RestoreOptions = {
  from?: string;
  at?: string;
  keyFile?: string;
  list?: boolean;
  mailbox?: string;
  folder?: string;
  replace?: boolean;
  release?: boolean;
  check?: boolean;
  copy?: boolean;
  root?: string;
  json?: boolean;
};

/**
 * Runs the command as the service user if root may not: root must not work in folders that the services can write to. Returns
 * whether it did.
 */
export async function restoreAsService(options: RestoreOptions): Promise<boolean> {
  if (process.getuid!() !== 0) return false;
  if (!options.list && !options.mailbox) await recreateDataFolder(options);
  if (isOfService(config().dataFolder)) await runUnprivileged(options);
  else if (options.mailbox) await restoreMailUnprivileged(options);
  else return false;
  return true;
}

/** Whether the data folder isn't root's, but that of an installed service. */
const isOfService = (dataFolder: string) =>
  (statSync(dataFolder, { throwIfNoEntry: false })?.uid ?? 0) !== 0;

/** The service must be able to use what is restored into its data folder. */
async function recreateDataFolder({ root }: RestoreOptions): Promise<void> {
  const { dataFolder } = config();
  if (existsSync(dataFolder)) return;
  const { installPaths } = await import("#server/cli/install/install-paths.ts");
  const { isOfInstallation } = await import("#server/cli/install/while-stopped.ts");
  const { prepareDataFolder } = await import("#server/cli/install/prepare-data-folder.ts");
  const { serviceUser } = await import("#server/processes/service-user.ts");
  if (!isOfInstallation(installPaths(root), dataFolder)) return;
  await prepareDataFolder(dataFolder, await serviceUser());
}

/** An installed service's data folder: the service user must be able to use what is restored. */
async function runUnprivileged(options: RestoreOptions): Promise<void> {
  const work = async () => {
    await runRestoreAsService(options);
  };
  if (options.list || options.mailbox) return work();
  // Rejects bad arguments while the service is still running.
  await runRestoreAsService({ ...options, check: true });
  const { whileStopped } = await import("#server/cli/install/while-stopped.ts");
  const { installPaths } = await import("#server/cli/install/install-paths.ts");
  await whileStopped(installPaths(options.root), config(), work);
}

/** Root's appliance: only root may read the database's password, and only the service user the mail. */
async function restoreMailUnprivileged(options: RestoreOptions): Promise<void> {
  const { withDatabase } = await import("#server/cli/with-database.ts");
  await withDatabase((_, url) => runRestoreAsService(options, { env: { DATABASE_URL: url } }));
}

/** Runs this command again as the service user. Only root may read the key's file. */
export async function runRestoreAsService(
  options: RestoreOptions,
  { env = {}, isQuiet = false }: { env?: Record<string, string>; isQuiet?: boolean } = {},
): Promise<string> {
  const { keyFile, from } = options;
  const { absoluteTarget } = await import("#server/backup/repository.ts");
  const { runAsService } = await import("#server/cli/run-as-service.ts");
  const key: Record<string, string> = keyFile
    ? { POSTHOUSE_BACKUP_KEY: readKey(() => readFileSync(keyFile, "utf8")) }
    : {};
  return runAsService(
    {
      name: "restore",
      options: {
        ...options,
        from: from && absoluteTarget(from),
        keyFile: undefined,
        root: undefined,
      },
    },
    { dataFolder: config().dataFolder, env: { ...env, ...key }, isQuiet },
  );
}

/** @throws CommandError with where to get the recovery key */
export function readKey(read: () => string): string {
  try {
    return read().trim();
  } catch (error) {
    throw new CommandError(
      "No recovery key: set POSTHOUSE_BACKUP_KEY, or pass --key-file with the key that `posthouse backup` printed",
      { cause: error },
    );
  }
}
