import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

import { CommandError } from "#server/cli/failures.ts";
import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import type { Config } from "#server/config.ts";
import { createFolder } from "#server/processes/open-no-follow.ts";
import { canReach, type ServiceUser } from "#server/processes/service-user.ts";

import { isHidden } from "./put-in-place.ts";

/** Created at each start. */
const MARK = "posthouse.pid";

/** What an empty disk has, or the data folder before a first start that failed. */
const HARMLESS = new Set(["lost+found", "keys", "logs"]);

/**
 * Creates the data folder, or gives the service user one that another user filled, such as root with `npm start`.
 *
 * @throws CommandError if the service can't use it, or another user's Posthouse runs there
 */
export async function prepareDataFolder(folder: string, user: ServiceUser): Promise<void> {
  createFolder(dirname(folder), { mode: 0o755 });
  createFolder(folder, { owner: user });
  if (!(await canReach(user, [folder])))
    throw new CommandError(
      `The user ${user.name} can't enter the folders above ${folder}. Use another data folder, such as /var/lib/posthouse`,
    );
  if (statSync(folder).uid === user.uid) return;
  const running = await findSupervisor(folder);
  if (running)
    throw new CommandError(
      `Posthouse already runs on ${folder}, as another user (${running}). Stop it, then run install again`,
    );
  requireDataFolder(folder);
  // The top folder last, so that an interrupted change is finished by the next run.
  const owner = `${user.uid}:${user.gid}`;
  await promisify(execFile)("chown", ["-RhP", owner, folder]);
}

/**
 * Makes sure that a folder has Posthouse's data or nothing, before all of it changes its owner or is deleted.
 *
 * @throws CommandError if it has something else, such as `/srv`
 */
export function requireDataFolder(folder: string): void {
  const names = readdirSync(folder);
  if (names.includes(MARK) || names.every((name) => HARMLESS.has(name))) return;
  throw new CommandError(
    `${folder} has files that aren't Posthouse's. Use an empty folder, such as ${folder.replace(/\/$/, "")}/posthouse`,
  );
}

/**
 * Checks that the service can read the operator's certificate. certbot's files belong to root, and the service never is root.
 *
 * @param isHiddenFile whether the service can't see a file; tests use files below `/tmp`
 * @throws CommandError with what to do
 */
export async function requireReadableCertificate(
  { tls }: Pick<Config, "tls">,
  user: ServiceUser,
  isHiddenFile: (file: string) => boolean = isHidden,
): Promise<void> {
  for (const file of tls ? [tls.certFile, tls.keyFile] : []) {
    if (!isHiddenFile(file) && (await canRead(user, file))) continue;
    throw new CommandError(
      `The user ${user.name} can't read ${file}. Either let Posthouse get and renew the certificate: ` +
        "run install with --set POSTHOUSE_TLS_CERT= --set POSTHOUSE_TLS_KEY=. " +
        `Or, after each renewal, copy both files to a folder such as /etc/posthouse/tls and let the group ${user.name} read them`,
    );
  }
}

/** With the groups that systemd gives the service. */
async function canRead(user: ServiceUser, file: string): Promise<boolean> {
  const as = ["--reuid", user.name, "--regid", user.name, "--init-groups"];
  return promisify(execFile)("setpriv", [...as, "--", "test", "-r", file]).then(
    () => true,
    () => false,
  );
}
