// cspell:ignore debootstrap minbase rbind
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { atExit, mustRun } from "./children.mjs";
import { inRoot, nodeToUse, ROOT } from "./paths.mjs";
import { ensureDebootstrap } from "./system-packages.mjs";

/** A Debian 13 with Dovecot 2.4, made once for all checkouts. */
const SYSTEM = "/var/cache/posthouse/debian-13";

export const hasDebian13 = () => process.getuid?.() === 0 && existsSync(SYSTEM);

/** Options of unshare(1): mounts end with the program that made them. */
const OWN_MOUNTS = ["--mount", "--propagation", "private"];

/**
 * Makes the system unless it exists, which takes 1 to 5 minutes and 650 MB, and installs the programs of the tests in it.
 *
 * @throws Error without root or debootstrap
 */
export async function ensureDebian13() {
  if (process.getuid?.() !== 0)
    throw new Error(
      "--dovecot 2.4 must run as root: it creates a Debian 13 system and runs the tests in it",
    );
  if (!existsSync(SYSTEM)) await makeSystem();
  for (const file of ["/etc/hosts", "/etc/resolv.conf"])
    if (existsSync(file)) copyFileSync(file, join(SYSTEM, file));
  await installNpm();
  const bootstrap = [nodeToUse(), inRoot("server/cli/bootstrap.mjs")];
  const [command, ...args] = inDebian13([...bootstrap, "test-programs"]);
  await mustRun(command, args);
}

/** From the registry, since Debian's npm depends on hundreds of packages. */
async function installNpm() {
  const prefix = join(SYSTEM, "usr/local");
  if (existsSync(join(prefix, "bin/npm"))) return;
  await mustRun("npm", ["install", "--global", "--prefix", prefix, "npm@11"]);
}

async function makeSystem() {
  await ensureDebootstrap();
  const unfinished = `${SYSTEM}.${process.pid}`;
  atExit.add(() => rmSync(unfinished, { recursive: true, force: true }));
  mkdirSync(dirname(SYSTEM), { recursive: true });
  const packages = "--include=ca-certificates";
  const debootstrap = ["debootstrap", "--variant=minbase", packages, "trixie", unfinished];
  await mustRun("unshare", [...OWN_MOUNTS, ...debootstrap]);
  // Keeps services from starting; see `forbidServices`.
  writeFileSync(join(unfinished, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  // Another run may have been faster.
  if (!existsSync(SYSTEM)) renameSync(unfinished, SYSTEM);
}

/**
 * The command that runs a program in the system, with this checkout and the folder for temporary files at the same paths. The mounts
 * exist for this program only.
 *
 * @param {string[]} command for env(1), so variables can come first
 * @returns {[string, ...string[]]}
 */
export function inDebian13(command) {
  const folders = [tmpdir(), ROOT];
  for (const folder of folders) mkdirSync(join(SYSTEM, folder), { recursive: true });
  const script = `set -e
system="$1" folder="$3"
mount --rbind /proc "$system/proc"
mount --rbind /dev "$system/dev"
mount --bind "$2" "$system$2"
mount --bind "$folder" "$system$folder"
shift 3
exec chroot "$system" env --chdir="$folder" "$@"`;
  const path = [dirname(nodeToUse()), process.env.PATH].join(delimiter);
  const shell = ["sh", "-c", script, "sh", SYSTEM, ...folders, `PATH=${path}`, ...command];
  return ["unshare", ...OWN_MOUNTS, ...shell];
}
