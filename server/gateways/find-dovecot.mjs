import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { DOVECOT_UPGRADE, findInjectableDovecot } from "./dovecot-package.mjs";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

/** @typedef {"2.3" | "2.4"} DovecotVersion Each has a configuration of its own. */

/** Debian's packages of Dovecot, each with a file that it installs. */
export const DOVECOT_PACKAGES = {
  "dovecot-core": "/usr/lib/dovecot/auth",
  "dovecot-imapd": "/usr/lib/dovecot/imap",
  "dovecot-pop3d": "/usr/lib/dovecot/pop3",
  "dovecot-lmtpd": "/usr/lib/dovecot/lmtp",
  "dovecot-pgsql": "/usr/lib/dovecot/modules/dict/libdriver_pgsql.so",
  "dovecot-sieve": "/usr/lib/dovecot/modules/lib90_sieve_plugin.so",
  "dovecot-managesieved": "/usr/lib/dovecot/managesieve",
};

/** @param {string[]} packages */
const installCommand = (packages) =>
  `apt-get install -y --no-install-recommends ${packages.join(" ")}`;

/**
 * Finds the Dovecot of this machine.
 *
 * @param {string} [path] folders to search, as in PATH; /usr/sbin is always searched
 * @param {typeof findInjectableDovecot} [findInjectable]
 * @returns {Promise<{ binary: string, version: DovecotVersion, release: string }>} `release` is the full version, such as 2.4.1
 * @throws Error with the command to run if it is missing, incomplete, of another version or unsafe
 */
export async function findDovecot(
  path = process.env.PATH ?? "",
  findInjectable = findInjectableDovecot,
) {
  const all = Object.keys(DOVECOT_PACKAGES);
  const binary = await findBinary([...path.split(delimiter), "/usr/sbin"]);
  if (!binary) throw new Error(`Dovecot is not installed. Run: ${installCommand(all)}`);
  const { stdout } = await promisify(execFile)(binary, ["--version"]);
  const release = stdout.trim().split(" ")[0] ?? "";
  const version = /^2\.[34](?=\.)/.exec(release)?.[0];
  if (version !== "2.3" && version !== "2.4")
    throw new Error(
      `Dovecot ${release} is installed, but 2.3 or 2.4 is needed. On Debian 12 or 13, run: ${installCommand(all)}`,
    );
  const missing = await missingFrom(Object.entries(DOVECOT_PACKAGES));
  if (missing.length > 0)
    throw new Error(`Parts of Dovecot are missing. Run: ${installCommand(missing)}`);
  const unsafe = await findInjectable(release);
  if (unsafe)
    throw new Error(
      `Dovecot ${unsafe} lets anyone run SQL (CVE-2026-24031). Run as root: ${DOVECOT_UPGRADE}`,
    );
  return { binary, version, release };
}

/** @param {string[]} folders */
async function findBinary(folders) {
  for (const folder of folders.filter((name) => name !== ""))
    if (await exists(join(folder, "dovecot"))) return join(folder, "dovecot");
  return null;
}

/** @param {[name: string, file: string][]} packages */
async function missingFrom(packages) {
  /** @type {string[]} */
  const missing = [];
  for (const [name, file] of packages) if (!(await exists(file))) missing.push(name);
  return missing;
}

/** @param {string} file */
const exists = (file) =>
  access(file).then(
    () => true,
    () => false,
  );
