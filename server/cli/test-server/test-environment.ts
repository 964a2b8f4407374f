import { dirname, join } from "node:path";

import { freePort } from "#server/processes/ports.ts";
import { createFolder } from "#server/processes/open-no-follow.ts";
import { serviceUser } from "#server/processes/service-user.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The user's settings that a test server keeps. Any other could make it use data outside its folder. */
const KEPT = new Set(["POSTHOUSE_BIND", "POSTHOUSE_PRIVATE_WEBHOOKS"]);

/** Replaces the settings in this process's environment with those of a test server. Call it before `config()`. */
export async function setTestEnvironment(folder: string, port: number | undefined): Promise<void> {
  // Empty counts as unset.
  for (const name of Object.keys(process.env))
    if (/^(POSTHOUSE_|DATABASE_URL$|([A-Z0-9]+_)?PORT$)/.test(name) && !KEPT.has(name))
      process.env[name] = "";
  process.env.POSTHOUSE_DATA = folder;
  process.env.POSTHOUSE_ROLES = "web,worker";
  process.env.POSTHOUSE_LAZY_PAGES = "yes";
  process.env.PORT = String(port ?? (await freePort()));
  const cache = await codeCache();
  if (cache) process.env.NODE_COMPILE_CACHE = cache;
}

/** Compiled code is kept between test servers: it makes starts twice as fast. Null if it can't be stored. */
async function codeCache(): Promise<string | null> {
  const isRoot = process.getuid!() === 0;
  const folder = isRoot
    ? "/var/cache/posthouse/test-server"
    : join(ROOT, "node_modules/.cache/posthouse");
  try {
    createFolder(dirname(folder), { mode: 0o755 });
    createFolder(folder, { owner: await serviceUser(), mode: 0o755 });
    return folder;
  } catch {
    return null;
  }
}
