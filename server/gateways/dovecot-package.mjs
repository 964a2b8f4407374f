// cspell:ignore dfsg
import { execFile } from "node:child_process";
import { promisify } from "node:util";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

const run = promisify(execFile);

/**
 * The revisions of Debian 12 and 13 with the security fixes up to May and September 2026. Their programs report the same version as
 * those without the fixes.
 */
const REVISIONS_MIN = {
  "1:2.3": "1:2.3.19.1+dfsg1-2.1+deb12u6",
  "1:2.4": "1:2.4.1+dfsg1-6+deb13u7",
};

/**
 * Debian's first revision without CVE-2026-24031: Dovecot 2.4 put the user name into SQL queries unescaped. Dovecot's own builds
 * are fixed since 2.4.3.
 */
const INJECTION_FIXED = "1:2.4.1+dfsg1-6+deb13u4";
const INJECTABLE_BUILDS = /^2\.4\.[012]\b/;

/** Installs the newest revision. */
export const DOVECOT_UPGRADE = "apt-get update && apt-get install -y --only-upgrade 'dovecot-*'";

/** @typedef {(command: string, args: string[]) => Promise<{ stdout: string }>} Execute runs dpkg */

/**
 * The installed revision of Dovecot if it lacks security fixes, and the one that has them. Null if it has them, if it isn't
 * installed as a package, or if the package is another distribution's, which numbers its revisions differently.
 *
 * @param {Execute} execute
 * @returns {Promise<{ installed: string, needed: string } | null>}
 */
export async function findOutdatedDovecot(execute = run) {
  const installed = await installedRevision(execute);
  if (!installed || isFromUbuntu(installed)) return null;
  const needed = REVISIONS_MIN[installed.startsWith("1:2.4") ? "1:2.4" : "1:2.3"];
  return (await isBefore(installed, needed, execute)) ? { installed, needed } : null;
}

/**
 * The installed revision of Dovecot 2.4 if a user name can contain SQL. Ubuntu has 2.4 since 26.04, which has the fix.
 *
 * @param {string} release what the program reports
 * @param {Execute} execute
 * @returns {Promise<string | null>}
 */
export async function findInjectableDovecot(release, execute = run) {
  if (!INJECTABLE_BUILDS.test(release)) return null;
  const installed = await installedRevision(execute);
  if (!installed) return release;
  if (isFromUbuntu(installed)) return null;
  return (await isBefore(installed, INJECTION_FIXED, execute)) ? installed : null;
}

/** @param {Execute} execute */
const installedRevision = (execute) =>
  execute("dpkg-query", ["-W", "-f", "${Version}", "dovecot-core"]).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );

/** @param {string} revision */
const isFromUbuntu = (revision) => revision.includes("ubuntu");

/** @param {string} revision @param {string} other @param {Execute} execute */
const isBefore = (revision, other, execute) =>
  execute("dpkg", ["--compare-versions", revision, "lt", other]).then(
    () => true,
    () => false,
  );
