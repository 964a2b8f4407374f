import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { readOrCreateSecret } from "#server/core/shared/secrets/instance-key.ts";
import { DEBIAN_PACKAGES, installCommand } from "#server/gateways/debian-packages.mjs";
import { exitCodeOf, writeInput } from "#server/processes/child-exit.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

import { BackupError, backupFolders, keyFile, TAGS } from "./layout.ts";
import { makeOwn, makeWritable } from "./prepare.ts";
import { readRepository, type Repository } from "./repository.ts";
import { knownHostName, showPinnedKey, sshCommand } from "./sftp.ts";

/** restic is missing or failed. The message is restic's own, or says how to install it. */
export class ResticError extends Error {
  override name = "ResticError";
}

/** Exit code when some files could not be read. */
const PARTIAL = 3;

/** One snapshot in the repository. */
export type Snapshot = {
  id: string;
  time: string;
  tag: string;
  /** The WAL stream of the database at that time; null if there was none. */
  stream: string | null;
};

type Summary = {
  snapshot: string;
  files: number;
  bytes: number;
  /** New data in the repository, before compression. */
  bytesAdded: number;
};

type Keep = { daily: number; weekly: number; monthly: number };

/** Few, because one takes about 7 MB for 100,000 messages: the times of links. */
const KEEP_CHANGES = ["--keep-within", "6h", "--keep-within-hourly", "2d"];

/** Also the WAL from the backup before the oldest restore point. */
const KEEP_WAL = ["--keep-within", "4d"];

export type Restic = {
  /** Creates the repository if there is none. Returns whether it did. */
  prepare(): Promise<boolean>;
  /** Removes locks of processes that no longer exist: of this host at once, of another host after half an hour. */
  unlock(): Promise<void>;
  /**
   * Stores files below `folder` under their paths relative to it.
   *
   * @param vanishing whether files may disappear meanwhile, as in a running Postgres
   */
  backUp(what: {
    folder: string;
    paths: string[];
    exclude?: string[];
    tag: string;
    stream: string | null;
    time: Date;
    /** An earlier snapshot, whose unchanged files aren't read again; null to read everything. */
    parent: string | null;
    vanishing?: boolean;
  }): Promise<Summary>;
  list(): Promise<Snapshot[]>;
  /** Calls `onFile` with the path and size of each file of a snapshot. */
  files(
    snapshot: string,
    onFile: (path: string, bytes: number) => void,
    below?: string,
  ): Promise<void>;
  /** Restores a snapshot, or only some of its paths, into a folder that the service user can write to. */
  restore(snapshot: string, target: string, include?: string[]): Promise<void>;
  /** Deletes snapshots, unless the repository is append-only. */
  forget(snapshots: string[]): Promise<void>;
  /**
   * Applies the retention to each tag separately, and frees the space. Restore points are kept for two days. Returns false if the
   * repository is append-only.
   */
  retain(keep: Keep): Promise<boolean>;
  /** Checks the repository, and reads one part of `parts` of its data. */
  check(part: number, parts: number): Promise<void>;
};

type Around = {
  repository: Repository;
  /** Encrypts the repository. */
  key: string;
  /** For restic's cache. */
  cacheFolder: string;
  /** Paths that restic must be able to access as the service user. */
  paths: string[];
  /** The private key and known hosts of SFTP. */
  keysFolder: string;
};

/**
 * Runs Debian's restic on a repository, as the service user. The host key of an SFTP server is pinned at the first connection, and
 * shown.
 */
export function restic(around: Around): Restic {
  const { repository, keysFolder } = around;
  let isFirst = true;
  const run = async (args: string[], more: RunOptions = {}) => {
    const { sftp } = repository;
    const work = () => runRestic(around, args, more);
    if (!sftp || !isFirst) return work();
    isFirst = false;
    return showPinnedKey(sftp, keysFolder, work);
  };
  const runDeletion = async (args: string[]): Promise<boolean> => {
    const { code, complaint } = await run(args, { mayFail: true });
    if (code === 0) return true;
    if (APPEND_ONLY.test(complaint)) return false;
    throw new ResticError(explainRestic(complaint, repository));
  };
  return {
    async prepare() {
      await makeOwn(around.cacheFolder);
      const { folder } = around.repository;
      if (folder) await makeWritable(folder);
      const found = await run(["cat", "config"], { mayFail: true });
      if (found.code === 0) {
        await run(["unlock"]);
        return false;
      }
      if (!NO_REPOSITORY.test(found.complaint))
        throw new ResticError(explainRestic(found.complaint, around.repository));
      await run(["init"]);
      return true;
    },
    async unlock() {
      // The repository may be read-only, or not there.
      await run(["unlock"], { mayFail: true });
    },
    async backUp({ folder, paths, exclude = [], tag, stream, time, parent, vanishing = false }) {
      const args = ["backup", "--json", "--host", "posthouse", "--time", stamp(time)];
      args.push("--tag", stream ? `${tag},${stream}` : tag);
      // Each copy of the mail consists of new links, which changes the ctime of unchanged files.
      args.push("--ignore-ctime", ...exclude.flatMap((pattern) => ["--exclude", pattern]));
      args.push(...(parent ? ["--parent", parent] : ["--force"]));
      args.push("--files-from-raw", "-");
      const input = paths.map((path) => `${path}\0`).join("");
      const done = await run(args, { cwd: folder, input, mayFail: vanishing });
      if (done.code !== 0 && !(done.code === PARTIAL && onlyVanished(done.complaint)))
        throw new ResticError(explainRestic(done.complaint, around.repository));
      return readSummary(done.stdout);
    },
    async list() {
      const { stdout } = await run(["snapshots", "--json"]);
      const found = JSON.parse(stdout) as { id: string; time: string; tags?: string[] }[] | null;
      return (found ?? []).map(({ id, time, tags: [tag = "", stream = null] = [] }) => ({
        id,
        time,
        tag,
        stream,
      }));
    },
    async files(snapshot, onFile, below) {
      await run(["ls", "--json", snapshot, ...(below ? [below] : []), "--recursive"], {
        onLine: (line) => {
          const node = JSON.parse(line) as { type?: string; path?: string; size?: number };
          if (node.type === "file" && node.path) onFile(node.path, node.size ?? 0);
        },
      });
    },
    async restore(snapshot, target, include = []) {
      const only = include.flatMap((path) => ["--include", path]);
      await run(["restore", snapshot, "--target", target, ...only]);
    },
    async forget(snapshots) {
      if (snapshots.length > 0) await runDeletion(["forget", ...snapshots]);
    },
    async retain({ daily, weekly, monthly }) {
      const forget = (tag: string, ...args: (string | number)[]) =>
        runDeletion(["forget", "--tag", tag, "--group-by", "host", ...args.map(String)]);
      const keep = ["--keep-daily", daily, "--keep-weekly", weekly, "--keep-monthly", monthly];
      for (const tag of [TAGS.database, TAGS.files])
        await forget(tag, "--keep-within", "2d", ...keep);
      await forget(TAGS.wal, ...KEEP_WAL);
      await forget(TAGS.changes, ...KEEP_CHANGES);
      return runDeletion(["prune"]);
    },
    async check(part, parts) {
      await run(["check", `--read-data-subset=${part}/${parts}`]);
    },
  };
}

type RunOptions = {
  cwd?: string;
  input?: string;
  mayFail?: boolean;
  onLine?: (line: string) => void;
};

type Ran = { code: number; stdout: string; complaint: string };

async function runRestic(around: Around, args: string[], options: RunOptions): Promise<Ran> {
  const { repository, key, cacheFolder, keysFolder, paths } = around;
  const all = ["--cache-dir", cacheFolder];
  if (repository.sftp) all.push("-o", `sftp.command=${sshCommand(repository.sftp, keysFolder)}`);
  const { command, args: own } = await asServiceUser(
    { command: "restic", args: [...all, ...args] },
    { paths: [...paths, ...(repository.folder ? [repository.folder] : [])], deathSignal: "TERM" },
  );
  const child = spawn(command, own, {
    cwd: options.cwd ?? "/",
    // Not in the arguments, which every local user can read: the location may contain a password.
    env: {
      ...process.env,
      RESTIC_REPOSITORY: repository.location,
      RESTIC_PASSWORD: key,
      TZ: "UTC",
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  writeInput(child, options.input ?? "");
  const code = exitCodeOf(child).catch((error: unknown) => {
    throw new ResticError(explainRestic(String(error), repository), { cause: error });
  });
  const [exit, stdout, complaint] = await Promise.all([
    code,
    options.onLine ? eachLine(child.stdout, options.onLine) : text(child.stdout),
    text(child.stderr),
  ]);
  if (exit !== 0 && !options.mayFail) throw new ResticError(explainRestic(complaint, repository));
  return { code: exit ?? 1, stdout, complaint };
}

async function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void) {
  for await (const line of createInterface({ input: stream })) onLine(line);
  return "";
}

const stamp = (time: Date) => time.toISOString().slice(0, 19).replace("T", " ");

function readSummary(stdout: string): Summary {
  const lines = stdout.trim().split("\n").toReversed();
  for (const line of lines) {
    if (!line.includes('"summary"')) continue;
    const found = JSON.parse(line) as Record<string, number> & { snapshot_id: string };
    return {
      snapshot: found.snapshot_id,
      files: found.total_files_processed!,
      bytes: found.total_bytes_processed!,
      bytesAdded: found.data_added!,
    };
  }
  throw new ResticError("restic stored nothing");
}

/** restic's messages when there is no repository at the location. */
const NO_REPOSITORY = /unable to open config file|does not exist/i;

/** What a REST server in append-only mode answers to a deletion. */
const APPEND_ONLY = /\b403\b|forbidden/i;

/** ssh's messages when the server has another key than the pinned one. */
const CHANGED_HOST_KEY = /remote host identification has changed|host key verification failed/i;

const INSTALL = `Run: ${installCommand(DEBIAN_PACKAGES.backups)}`;

const KNOWN: [pattern: RegExp, reason: string][] = [
  [/ENOENT|setpriv: .*restic/, `restic isn't installed. ${INSTALL}`],
  [/"ssh": executable file not found/, `ssh isn't installed. ${INSTALL}`],
  [
    /wrong password|no key found/i,
    "The recovery key doesn't open this repository. Use the key that was printed when the repository was created",
  ],
  [
    /already locked|unable to create lock/i,
    "The repository is in use by another backup or restore. Try again later. If that host no longer exists, its lock expires after 30 minutes",
  ],
];

/** Says what went wrong, from restic's output. */
export function explainRestic(
  complaint: string,
  { folder, sftp }: Pick<Repository, "folder" | "sftp">,
): string {
  if (sftp && CHANGED_HOST_KEY.test(complaint)) return explainHostKey(sftp);
  if (folder && /permission denied/i.test(complaint) && complaint.includes(folder))
    return `The service can't read ${folder}. Run, as root: chown -R ${process.getuid!() || "posthouse"} ${folder}`;
  const known = KNOWN.find(([pattern]) => pattern.test(complaint));
  return known?.[1] ?? explainUnknown(complaint);
}

function explainHostKey(server: NonNullable<Repository["sftp"]>): string {
  return (
    `The host key of ${server.host} isn't the one that was pinned, so nothing was sent. Someone may be intercepting the connection. If you replaced ` +
    `that server or its key, run in the data folder: ssh-keygen -R '${knownHostName(server)}' -f keys/backup_known_hosts`
  );
}

function explainUnknown(complaint: string): string {
  const unread =
    /"message_type":"error".*"message":"([^"]*)"|"message_type":"error".*"item":"([^"]*)"/.exec(
      complaint,
    );
  if (unread) return `${unread[1] ?? unread[2]!} can't be read`;
  if (NO_REPOSITORY.test(complaint)) return "There is no repository at this location";
  const lines = complaint.split("\n").filter((line) => line.trim() && !line.startsWith("{"));
  const reason = lines.find((line) => /fatal|error/i.test(line)) ?? lines.at(-1);
  return `restic failed: ${(reason ?? "no output").replace(/^Fatal: /, "")}`;
}

/** Whether all files that could not be read no longer exist. */
function onlyVanished(complaint: string): boolean {
  const errors = complaint.split("\n").filter((line) => line.includes('"message_type":"error"'));
  return (
    errors.length > 0 && errors.every((line) => /no such file|file does not exist/i.test(line))
  );
}

/**
 * The appliance's repository.
 *
 * @param to as in the setting `backup_to`
 * @throws BackupError or RepositoryError
 */
export function openEngine(
  dataFolder: string,
  to: string,
): { repository: Repository; key: string; engine: Restic } {
  if (to === "off")
    throw new BackupError(
      "No destination: use --to, or set one with `posthouse settings set backup_to FOLDER|URL`",
    );
  const folders = backupFolders(dataFolder);
  const repository = readRepository(to === "local" ? folders.repository : to);
  const key = readOrCreateSecret(keyFile(dataFolder));
  const engine = restic({
    repository,
    key,
    cacheFolder: folders.cache,
    keysFolder: join(dataFolder, "keys"),
    paths: [folders.own, join(dataFolder, "postgres"), join(dataFolder, "mail")],
  });
  return { repository, key, engine };
}
