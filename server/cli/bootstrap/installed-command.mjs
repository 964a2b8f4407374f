import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Written by `posthouse install`, with the settings of the service. */
const INSTALLED = "/usr/local/bin/posthouse";
const MARK = "# Written by `posthouse install`.";

/** Commands about this clone. All others are about the appliance. */
const ABOUT_CLONE = new Set([
  "install",
  "uninstall",
  "upgrade",
  "start",
  "migrate",
  "test-server",
  "version",
]);

/**
 * The command of the appliance that is installed on this machine, for `npx posthouse` in a clone. Null if the command is about
 * the clone, or the clone or the environment names another appliance.
 *
 * @param {string[]} args
 * @param {{ file?: string, folder?: string, env?: Record<string, string | undefined> }} [place] `folder` is where the command runs
 */
export function installedCommand(args, { file = INSTALLED, folder = ".", env = process.env } = {}) {
  const [name = "--help"] = args;
  if (name.startsWith("-") || ABOUT_CLONE.has(name)) return null;
  if (env.POSTHOUSE_DATA || env.DATABASE_URL || existsSync(join(folder, "data"))) return null;
  // A link may be one of `npm link`, to this program.
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null;
  return readFileSync(file, "utf8").includes(MARK) ? file : null;
}
