import { accessSync, chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { CommandError } from "#server/cli/command-error.ts";
import { takePidFile } from "#server/processes/pid-file.ts";

/** Where the supervisor that runs on a data folder leaves its pid. */
export const supervisorPidFile = (dataFolder: string) => join(dataFolder, "posthouse.pid");

/**
 * Makes the data folder when it is missing and claims it for this process: one supervisor a folder.
 *
 * @returns a function that gives it back
 * @throws CommandError when it cannot be used or is in use
 */
export function claimDataFolder(dataFolder: string): () => void {
  makeUsable(dataFolder);
  const claim = takePidFile(supervisorPidFile(dataFolder));
  if (typeof claim === "function") return claim;
  throw new CommandError(
    `${dataFolder} is in use: posthouse already runs there (pid ${claim.heldBy}). Stop it, or set POSTHOUSE_DATA to another folder`,
  );
}

function makeUsable(dataFolder: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true });
    if (!statSync(dataFolder).isDirectory()) throw new Error("it is not a folder");
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const folder of ["keys", "logs"]) mkdirSync(join(dataFolder, folder), { recursive: true });
    chmodSync(join(dataFolder, "keys"), 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`POSTHOUSE_DATA: ${dataFolder} cannot be used (${reason})`, {
      cause: error,
    });
  }
}
