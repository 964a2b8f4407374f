import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { CommandError } from "#server/cli/failures.ts";
import { canReach, type ServiceUser } from "#server/processes/service-user.ts";

const run = promisify(execFile);

/** The project's own folder. */
const ROOT = join(import.meta.dirname, "../../..");

/** Not needed to run. The settings of `docker compose` may contain passwords. */
const LEFT_OUT = new Set(["data", ".git", "bench", "e2e", "test-results", "playwright-report"]);
const COMPOSE_SETTINGS = [".env", "docker/.env"];

/** Hidden from the service (PrivateTmp and ProtectHome in its unit), or emptied at boot. */
const HIDDEN = /^\/(tmp|var\/tmp|dev\/shm|run|home|root)(\/|$)/;

/** Whether a path is hidden from the service. */
export const isHidden = (folder: string) => HIDDEN.test(folder);

/** Marks a copy, which `uninstall` may delete, unlike a clone. */
const COPY_MARK = ".copied-by-install";

/**
 * Makes the program available to the service: this folder, if the service can read it and only root can change it, or
 * else a copy.
 *
 * @param target folder for the copy
 * @param isHiddenFolder whether the service can't see a folder; tests use folders below `/tmp`
 * @returns the program's folder
 */
export async function placeProgram(
  target: string,
  {
    user,
    root = ROOT,
    isHiddenFolder = isHidden,
  }: { user: ServiceUser; root?: string; isHiddenFolder?: (folder: string) => boolean },
): Promise<string> {
  if (root === target) return root;
  const isReadable = !isHiddenFolder(root) && (await canReach(user, [join(root, "package.json")]));
  const isUsable = isReadable && belongsToRoot(root);
  return isUsable ? root : copyTo(target, root);
}

/** Whether only root can replace files in it or in a folder above. */
function belongsToRoot(folder: string): boolean {
  for (let each = folder; ; each = dirname(each)) {
    const { uid, mode } = statSync(each);
    const isSticky = (mode & 0o1000) !== 0;
    if (uid !== 0 || ((mode & 0o022) !== 0 && !isSticky)) return false;
    if (each === dirname(each)) return true;
  }
}

async function copyTo(target: string, root: string): Promise<string> {
  if (existsSync(target) && !isCopy(target))
    throw new CommandError(
      `${target} exists and isn't a copy that install made. Run install from there, or move it away`,
    );
  const draft = `${target}.new`;
  dropPreviousCopy(target);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o755 });
  const names = readdirSync(root).filter((name) => !LEFT_OUT.has(name));
  const sources = names.map((name) => join(root, name));
  await run("cp", ["-a", "--reflink=auto", "-t", draft, "--", ...sources]);
  // Nothing changes the copy's sources, so commands needn't compare them with the bundles (bundle.mjs).
  for (const file of [...COMPOSE_SETTINGS, "dist/sources"])
    rmSync(join(draft, file), { force: true });
  await run("chown", ["-RhP", "0:0", draft]);
  await run("chmod", ["-R", "u+rwX,go+rX,go-w", draft]);
  writeFileSync(join(draft, COPY_MARK), "");
  if (existsSync(target)) renameSync(target, previousOf(target));
  renameSync(draft, target);
  return target;
}

/** The copy that the last one replaced. */
const previousOf = (target: string) => `${target}.old`;

export function dropPreviousCopy(target: string): void {
  rmSync(previousOf(target), { recursive: true, force: true });
}

/** Puts the copy back that the last one replaced, if it did. */
export function putBackPreviousCopy(target: string): void {
  if (!existsSync(previousOf(target))) return;
  rmSync(target, { recursive: true, force: true });
  renameSync(previousOf(target), target);
}

export const isCopy = (folder: string) => existsSync(join(folder, COPY_MARK));

/** The Node.js that the service runs with. */
export async function serviceNode(program: string, user: ServiceUser): Promise<string> {
  const own = join(program, "node_modules/node/bin/node");
  if (existsSync(own)) return own;
  if (await canReach(user, [process.execPath])) return process.execPath;
  throw new CommandError(
    `The user ${user.name} can't run ${process.execPath}. Run \`npm ci\` in ${ROOT}, which brings a Node.js of its own`,
  );
}
