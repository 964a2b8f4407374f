import {
  access,
  constants,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { SOCKET_PATH_MAX } from "#server/gateways/dovecot.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import type { ServiceUser } from "#server/processes/service-user.ts";

/** The longest socket name below base_dir is `token-login/imap-urlauth`; the rest is reserve. */
const SOCKET_NAME_MAX = 37;

/** A Dovecot whose appliance was killed exits on its own, at the latest when its last session ends. */
const PREDECESSOR_TIMEOUT_MS = 6_000;

/** Where to create sockets if the path of the data folder is too long: the first writable one. */
const SHORT_PARENTS = ["/run", "/tmp"];

/**
 * Creates an empty base_dir for Dovecot: leftover sockets of a killed Dovecot would delay every sign-in. Waits for
 * another Dovecot that still uses it, then ends it.
 *
 * @param run `dovecot/run` of the data folder; becomes a link to a short folder if its path is too long for sockets
 * @returns the folder for the configuration
 */
export async function prepareRunFolder(run: string, user: ServiceUser): Promise<string> {
  await endPredecessor(run);
  if (Buffer.byteLength(run) + SOCKET_NAME_MAX <= SOCKET_PATH_MAX) {
    await rm(run, { recursive: true, force: true });
    await mkdir(run, { mode: 0o755 });
    giveTo(user, run);
    return run;
  }
  const kept = await ownLinkTarget(run, user);
  if (kept) {
    for (const entry of await readdir(kept)) await rm(join(kept, entry), { recursive: true });
    return kept;
  }
  await rm(run, { recursive: true, force: true });
  const folder = await makeShortFolder();
  giveTo(user, folder);
  await symlink(folder, run);
  return folder;
}

/** Removes the folder that prepareRunFolder created outside the data folder. */
export async function removeRunFolder(run: string, baseFolder: string): Promise<void> {
  if (baseFolder === run) return;
  await rm(baseFolder, { recursive: true, force: true });
  await rm(run, { force: true });
}

async function makeShortFolder(): Promise<string> {
  const problems: unknown[] = [];
  for (const parent of SHORT_PARENTS)
    try {
      return await mkdtemp(join(parent, "posthouse-"));
    } catch (error) {
      problems.push(error);
    }
  throw new AggregateError(problems, `No folder for sockets in ${SHORT_PARENTS.join(" or ")}`);
}

/** The folder that `run` links to, if it is still our own: a reboot empties /run, and in /tmp anyone can create a folder. */
async function ownLinkTarget(run: string, user: ServiceUser): Promise<string | null> {
  const target = await readlink(run).catch(() => null);
  if (!target || !SHORT_PARENTS.includes(dirname(target))) return null;
  const found = await lstat(target).catch(() => null);
  // This user can't remove a folder that an earlier run created as root.
  const isRemovable = await access(dirname(target), constants.W_OK).then(
    () => true,
    () => false,
  );
  return isRemovable && found?.isDirectory() && found.uid === user.uid ? target : null;
}

async function endPredecessor(run: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const deadline = performance.now() + PREDECESSOR_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if ((await dovecotIn(run)) === null) return;
      await sleep(100);
    }
    const pid = await dovecotIn(run);
    if (pid === null) return;
    // The whole group, which it leads if an appliance started it.
    process.kill(-pid, signal);
  }
  await sleep(100);
  if ((await dovecotIn(run)) !== null) throw new Error(`Another Dovecot is using ${run}`);
}

/** The PID of the Dovecot that uses this base_dir, if the PID was not reused by another program. */
async function dovecotIn(run: string): Promise<number | null> {
  const pid = Number(await readFile(join(run, "master.pid"), "utf8").catch(() => ""));
  if (!pid) return null;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.includes(join(dirname(run), "etc/dovecot.conf")) ? pid : null;
}
