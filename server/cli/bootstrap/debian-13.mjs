// cspell:ignore debootstrap minbase procps rbind trixie zstd
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { mustRun, run } from "./children.mjs";
import { inRoot, nodeToUse, ROOT } from "./paths.mjs";
import { ensureDebootstrap } from "./system-packages.mjs";

/** A Debian 13 with Dovecot 2.4, made once. */
const SYSTEM = inRoot("node_modules/.cache/debian-13");

export const hasDebian13 = () => process.getuid?.() === 0 && existsSync(SYSTEM);

/** For the tests themselves; `npm test` installs the rest inside. */
const PACKAGES = ["ca-certificates", "procps", "zstd"];

/**
 * Makes the system unless it exists, which takes 1 to 5 minutes and 650 MB.
 *
 * @throws Error without root or debootstrap
 */
export async function ensureDebian13() {
  if (process.getuid?.() !== 0)
    throw new Error(
      "--dovecot 2.4 must run as root: it creates a Debian 13 and runs the tests in it",
    );
  if (existsSync(SYSTEM)) return;
  await ensureDebootstrap();
  const unfinished = `${SYSTEM}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(SYSTEM), { recursive: true });
  const include = `--include=${PACKAGES.join(",")}`;
  await mustRun("debootstrap", ["--variant=minbase", include, "trixie", unfinished]);
  // Keeps services from starting; see `forbidServices`.
  writeFileSync(join(unfinished, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  renameSync(unfinished, SYSTEM);
}

/**
 * The command that runs a program in the system, with a folder of this one at the same path. The mounts exist for this program only.
 *
 * @param {string} folder
 * @param {string[]} command for env(1), so variables can come first
 * @returns {[string, string[]]}
 */
export function inDebian13(folder, command) {
  mkdirSync(join(SYSTEM, folder), { recursive: true });
  const script = `set -e
system="$1" folder="$2"
shift 2
mount --rbind /proc "$system/proc"
mount --rbind /dev "$system/dev"
mount --bind "$folder" "$system$folder"
exec chroot "$system" env --chdir="$folder" "$@"`;
  const shell = ["sh", "-c", script, "sh", SYSTEM, folder, ...command];
  return ["unshare", ["--mount", "--propagation", "private", ...shell]];
}

/**
 * Runs `npm test` inside, on this checkout.
 *
 * @param {string[]} tests
 * @param {(line: string) => void} onLine
 * @returns {Promise<number>} its exit code
 */
export async function runInDebian13(tests, onLine) {
  for (const file of ["/etc/hosts", "/etc/resolv.conf"])
    if (existsSync(file)) copyFileSync(file, join(SYSTEM, file));
  const path = `${dirname(nodeToUse())}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const bootstrap = [nodeToUse(), inRoot("server/cli/bootstrap.mjs")];
  const [command, args] = inDebian13(ROOT, [`PATH=${path}`, ...bootstrap, "test", ...tests]);
  const { code } = await run(command, args, { onLine });
  return code;
}
