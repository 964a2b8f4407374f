import { execFile } from "node:child_process";
import { delimiter } from "node:path";
import { promisify } from "node:util";

import {
  DEBIAN_PACKAGES,
  findProgram,
  installCommand,
  missingPackages,
} from "./debian-packages.mjs";
import { DOVECOT_UPGRADE, findInjectableDovecot } from "./dovecot-package.mjs";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

/** @typedef {"2.3" | "2.4"} DovecotVersion Each has a configuration of its own. */

/**
 * Finds the Dovecot of this machine.
 *
 * @param {string} [path] folders to search, as in PATH; /usr/sbin is always searched
 * @param {typeof findInjectableDovecot} [findInjectable]
 * @returns {Promise<{ binary: string, version: DovecotVersion, release: string, hasSearch: boolean }>} `release` is the full version,
 *   such as 2.4.1; `hasSearch`: whether it can have search indexes
 * @throws Error with the command to run if it is missing, incomplete, of another version or unsafe
 */
export async function findDovecot(
  path = process.env.PATH ?? "",
  findInjectable = findInjectableDovecot,
) {
  const binary = findProgram("dovecot", `${path}${delimiter}/usr/sbin`);
  if (!binary)
    throw new Error(`Dovecot is not installed. Run: ${installCommand(DEBIAN_PACKAGES.dovecot)}`);
  const { stdout } = await promisify(execFile)(binary, ["--version"]);
  const release = stdout.trim().split(" ")[0] ?? "";
  const version = /^2\.[34](?=\.)/.exec(release)?.[0];
  if (version !== "2.3" && version !== "2.4")
    throw new Error(
      `Dovecot ${release} is installed, but 2.3 or 2.4 is needed. On Debian 12 or 13, run: ${installCommand(DEBIAN_PACKAGES.dovecot)}`,
    );
  const missing = missingPackages(DEBIAN_PACKAGES.dovecot);
  if (missing.length > 0)
    throw new Error(`Parts of Dovecot are missing. Run: ${installCommand(missing)}`);
  const unsafe = await findInjectable(release);
  if (unsafe)
    throw new Error(
      `Dovecot ${unsafe} lets anyone run SQL (CVE-2026-24031). Run as root: ${DOVECOT_UPGRADE}`,
    );
  const hasSearch = version !== "2.3" && missingPackages(DEBIAN_PACKAGES.search).length === 0;
  return { binary, version, release, hasSearch };
}
