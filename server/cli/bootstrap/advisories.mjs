// Adds the advisories that npm knows of to known-advisories.json: `npm run advisories`. server/package-lock.test.ts fails
// while one of them applies.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import semver from "semver";

import { run } from "./children.mjs";
import { inRoot, ROOT } from "./paths.mjs";

const LIST = inRoot("server/cli/bootstrap/known-advisories.json");

/** @typedef {{ id: string, package: string, range: string }} Advisory `range` is of affected versions */
/** @typedef {{ updated: string, advisories: Advisory[] }} Known `updated` is the day on which npm was last asked */
/** @typedef {{ packages: Record<string, { version?: string }> }} Lock */

/** @returns {Known} */
export const knownAdvisories = (list = LIST) => JSON.parse(readFileSync(list, "utf8"));

/**
 * The packages of a lock file that an advisory applies to, also below other packages.
 *
 * @param {Lock} lock
 * @param {Advisory[]} advisories
 */
export function findVulnerable({ packages }, advisories) {
  return Object.entries(packages).flatMap(([path, { version = "" }]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    return advisories
      .filter(
        (known) =>
          known.package === name &&
          semver.satisfies(version, known.range, { includePrerelease: true }),
      )
      .map(({ id }) => `${path} ${version}: ${id}`);
  });
}

/**
 * Asks npm about the lock file of a folder.
 *
 * @returns {Promise<Advisory[]>}
 * @throws Error if the registry has no advisories
 */
export async function askNpm(folder = ROOT) {
  const { output } = await run("npm", ["audit", "--json", "--package-lock-only"], { cwd: folder });
  const report = JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
  if (!report.vulnerabilities) throw new Error(`npm has no advisories: ${report.message}`);
  const causes = Object.values(report.vulnerabilities).flatMap(({ via }) => via);
  return causes
    .filter((cause) => typeof cause === "object")
    .map(({ url, name, range }) => ({
      id: url.split("/").at(-1),
      package: name,
      range,
    }));
}

/**
 * Adds advisories to the list, which replace those with the same ID and package.
 *
 * @param {Advisory[]} found
 */
export function remember(found, list = LIST) {
  const all = new Map();
  for (const known of [...knownAdvisories(list).advisories, ...found])
    all.set(`${known.package} ${known.id}`, known);
  const advisories = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, known]) => known);
  const updated = new Date().toISOString().slice(0, 10);
  writeFileSync(list, `${JSON.stringify({ updated, advisories }, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  remember(await askNpm());
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const vulnerable = findVulnerable(lock, knownAdvisories().advisories);
  console.log(vulnerable.length > 0 ? vulnerable.join("\n") : "No package has a known advisory");
  process.exitCode = vulnerable.length > 0 ? 1 : 0;
}
