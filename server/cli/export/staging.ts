import { execFile, spawn } from "node:child_process";
import { createWriteStream, existsSync, rmSync } from "node:fs";
import { link, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, createZstdCompress } from "node:zlib";

import { CommandError } from "#server/cli/failures.ts";
import {
  EXPORTED,
  EXPORTED_MESSAGES,
  fileOf,
} from "#server/core/operations/export/exported-tables.ts";
import type { CompanySnapshot } from "#server/core/operations/export/take-snapshot.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";

/** Where an export goes: a folder, or an archive of one. */
export type Target = {
  path: string;
  /** The folder, also in an archive. */
  name: string;
  compression: "gzip" | "zstd" | null;
};

const ARCHIVE = /^(.+)\.tar\.(gz|zst)$/;

export function readTarget(path: string): Target {
  const file = basename(path);
  const [, name, ending] = ARCHIVE.exec(file) ?? [];
  if (name !== undefined) return { path, name, compression: ending === "gz" ? "gzip" : "zstd" };
  if (/\.(tar|tgz|zip|gz|zst)$/.test(file))
    throw new CommandError("--out must be a folder, or end with .tar.gz or .tar.zst");
  return { path, name: file, compression: null };
}

export type Staging = AsyncDisposable & {
  /** Where to write the export. */
  folder: string;
  /** Moves it to its place, or archives it. */
  finish(): Promise<void>;
};

/**
 * Creates a folder beside the target, in which the export is written, so that the target exists only once it is complete. The
 * folder is deleted however the export ends, except by SIGKILL.
 *
 * @throws CommandError if the target exists, or an export to it is running or was killed
 */
export async function openStaging(target: Target): Promise<Staging> {
  const { path, name } = target;
  requireAbsent(path);
  const root = `${path}.partial`;
  await mkdir(root, { mode: 0o700 }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === "EEXIST"
        ? `${root} exists: another export is running, or one was killed. If none is running, delete the folder and repeat the command`
        : `${root} can't be created: ${message}`,
    );
  });
  const stop = () => {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  const folder = join(root, name);
  // Its mode protects all that is in it.
  await mkdir(folder, { mode: 0o700 });
  return {
    folder,
    async finish() {
      requireAbsent(path);
      if (target.compression === null) {
        await syncFileSystem(root);
        await rename(folder, path);
      } else {
        const archive = join(root, "archive");
        await writeArchive(root, target, archive);
        await place(archive, path);
      }
      await syncFileSystem(dirname(path));
    },
    async [Symbol.asyncDispose]() {
      for (const signal of SIGNALS) process.removeListener(signal, stop);
      await rm(root, { recursive: true, force: true });
    },
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function requireAbsent(path: string): void {
  if (existsSync(path))
    throw new CommandError(`${path} already exists. Delete it, or choose another name`);
}

/** Never replaces a file: a rename would, if the target has appeared meanwhile. */
async function place(archive: string, path: string): Promise<void> {
  try {
    await link(archive, path);
  } catch (error) {
    if (!NO_HARD_LINKS.includes((error as NodeJS.ErrnoException).code!)) throw error;
    requireAbsent(path);
    await rename(archive, path);
  }
}

/** Errors from file systems without hard links (FAT, exFAT, many network shares). */
const NO_HARD_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Syncs the folder's whole file system with one call (syncfs). */
const syncFileSystem = (folder: string) => promisify(execFile)("sync", ["--file-system", folder]);

/** Deletes each file once it is archived, so that the disk never holds everything twice. */
async function writeArchive(root: string, { name, compression }: Target, file: string) {
  const tar = spawn(
    "tar",
    [
      "--create",
      "--format=posix",
      "--sort=name",
      "--remove-files",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--directory",
      root,
      name,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const [problem, code] = await Promise.all([
    text(tar.stderr),
    exitCodeOf(tar),
    pipeline(
      tar.stdout,
      compression === "gzip" ? createGzip() : createZstdCompress(),
      createWriteStream(file, { flags: "wx", mode: 0o600 }),
    ),
  ]);
  if (code !== 0) throw new CommandError(`The archive can't be written: ${problem.trim()}`);
  await using written = await open(file, "r+");
  await written.sync();
}

/** Never replaces a file: a name collision would lose data. */
export const writeNewFile = (file: string, content: string | Buffer): Promise<void> =>
  writeFile(file, content, { flag: "wx", mode: 0o600 });

/**
 * Writes everything but the mail of mailboxes.
 *
 * @returns how many rows each NDJSON file has, and files each other folder
 */
export async function exportRecords(
  snapshot: CompanySnapshot,
  folder: string,
  { includesKeys }: { includesKeys: boolean },
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await mkdir(join(folder, "data"));
  for (const table of Object.keys(EXPORTED)) {
    const file = `data/${fileOf(table)}`;
    counts[file] = await writeLines(join(folder, file), snapshot.lines(table));
  }
  /** Each file in a subfolder, which is only created for the first one. */
  const write = async (name: string, content: string | Buffer) => {
    const kind = `${dirname(name)}/`;
    if (counts[kind] === undefined) await mkdir(join(folder, kind));
    counts[kind] = (counts[kind] ?? 0) + 1;
    await writeNewFile(join(folder, name), content);
  };
  for (const kind of Object.keys(EXPORTED_MESSAGES) as (keyof typeof EXPORTED_MESSAGES)[])
    for await (const { id, content } of snapshot.messages(kind))
      await write(`${kind}/${id}.eml`, content);
  for await (const { domain, text } of snapshot.zones()) await write(`dns/${domain}.zone`, text);
  if (includesKeys)
    for await (const { domain, selector, pem } of snapshot.dkimPrivateKeys())
      await write(`dkim-private-keys/${selector}.${domain}.pem`, pem);
  for (const { mailbox, script } of await snapshot.sieveScripts())
    if (script !== "") await write(`sieve/${mailbox}.sieve`, script);
  return counts;
}

async function writeLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const line of lines) {
      count += 1;
      yield line;
    }
  }
  await pipeline(counted, createWriteStream(file, { flags: "wx", mode: 0o600 }));
  return count;
}
