// cspell:ignore dfsg
import { execFile } from "node:child_process";
import { promisify } from "node:util";

// Plain JavaScript, since the bootstrap uses it before TypeScript is loaded.

const run = promisify(execFile);

/**
 * The revision of Debian 12 with the security fixes up to May 2026: CVE-2026-42006, -40020, -40016 and -33603, and all earlier ones.
 * Its programs report the same version as those without the fixes.
 */
export const DOVECOT_REVISION_MIN = "1:2.3.19.1+dfsg1-2.1+deb12u6";

/** Installs the newest revision. */
export const DOVECOT_UPGRADE = "apt-get update && apt-get install -y --only-upgrade 'dovecot-*'";

/**
 * The installed revision of Dovecot if it lacks security fixes. Null if it has them, and where Debian's package isn't installed or
 * another distribution, with revisions of its own, maintains it.
 *
 * @param {(command: string, args: string[]) => Promise<{ stdout: string }>} execute runs dpkg
 * @returns {Promise<string | null>}
 */
export async function findOutdatedDovecot(execute = run) {
  const installed = await execute("dpkg-query", ["-W", "-f", "${Version}", "dovecot-core"]).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
  if (!installed || /ubuntu/.test(installed)) return null;
  const args = ["--compare-versions", installed, "ge", DOVECOT_REVISION_MIN];
  return execute("dpkg", args).then(
    () => null,
    () => installed,
  );
}
