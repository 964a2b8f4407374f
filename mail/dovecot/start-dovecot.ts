import { type ChildProcess, execFile, spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import type { Logger } from "pino";

import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/machine.ts";
import { inheritedRunLock, withServiceLock } from "#server/processes/run-lock.ts";
import { stopService, untilServiceExited } from "#server/processes/service-process.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";
import type { Exit, Run } from "#server/processes/supervise.ts";

import { listenForDiskQuota } from "./disk-quota-socket.ts";
import { dovecotFolders } from "./folders.ts";
import { listenForLearning } from "./junk/learning-socket.ts";
import { prepareRunFolder, removeRunFolder } from "./run-folder.ts";
import type { DovecotSettings } from "./settings.ts";
import { untilServing } from "./until-serving.ts";
import { makeFolders, writeConfiguration } from "./write-configuration.ts";

/** Startup timeout, generous for a loaded machine: if Dovecot exits, the start fails at once. */
const READY_TIMEOUT_MS = 120_000;

const LAST_LINES = 10;

/**
 * Starts Dovecot with a new configuration and resolves once it serves LMTP and IMAP. It exits with this process, or,
 * with all its sessions, when `signal` aborts.
 *
 * @throws Error with its last log lines when it does not start
 */
export async function startDovecot(
  settings: DovecotSettings,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<Run> {
  const binary = await findDovecot();
  const user = await serviceUser();
  const folders = dovecotFolders(settings.dataFolder);
  await makeFolders(settings.dataFolder, user);
  const baseFolder = await prepareRunFolder(folders.run, user);
  const main = await writeConfiguration(settings, { user, baseFolder });
  signal.throwIfAborted();

  const { imap, imaps, pop3, pop3s, sieve } = settings.ports;
  const { command, args } = await asServiceUser(
    { command: binary, args: ["-c", main, "-F"] },
    {
      paths: [binary, main, folders.mail],
      deathSignal: "TERM",
      lowPorts: [imap, imaps, pop3, pop3s, sieve].some((port) => port < 1024),
    },
  );
  const stopLearning = await listenForLearning(baseFolder, { user, log });
  const stopDiskQuota = await listenForDiskQuota(baseFolder, {
    user,
    log,
    isFull: async () => (await freeBytesAt(settings.dataFolder)) < DISK_RESERVE_BYTES,
  });
  const dovecot = spawn(command, args, {
    cwd: "/",
    // Otherwise the Message-ID of vacation replies has the machine's name.
    env: { ...process.env, DOVECOT_HOSTNAME: settings.hostname },
    // Its own process group: Ctrl-C reaches the appliance only, and all its processes can be killed together.
    detached: true,
    // Dovecot's processes keep the ports until the last one exits, so they keep the lock too.
    stdio: withServiceLock(["ignore", "ignore", "pipe"], inheritedRunLock(settings.dataFolder)),
  });
  const lastLines = readLog(dovecot, log);
  let isUp = false;
  const exited = untilServiceExited(dovecot, lastLines).then(async (exit) => {
    stopLearning();
    stopDiskQuota();
    if (signal.aborted || !isUp) await removeRunFolder(folders.run, baseFolder);
    return exit;
  });
  const stop = () => void stopService(dovecot, exited);
  signal.addEventListener("abort", stop, { once: true });
  void exited.then(() => signal.removeEventListener("abort", stop));

  await untilUp(settings, { dovecot, exited, baseFolder, signal });
  isUp = true;
  return { pid: dovecot.pid!, exited };
}

const LEVELS = /: (Warning|Error|Fatal|Panic): /;

/** Expected: replies to our own signals, and a warning per session beyond 128 in IDLE. */
const AS_ASKED =
  /Warning: Killed with signal 15|^master: Warning: SIGHUP received|Warning: Shutting down logging|Warning: Inotify instance limit/;

/** Reads the log, since Dovecot blocks on a full pipe. Lines about sessions contain addresses, so they are `debug`. */
function readLog(dovecot: ChildProcess, log: Logger): string[] {
  const lastLines: string[] = [];
  createInterface({ input: dovecot.stderr! }).on("line", (line) => {
    const level = LEVELS.exec(line)?.[1];
    if (level === undefined || AS_ASKED.test(line)) log.debug(line);
    else if (level === "Warning") log.warn(line);
    else log.error(line);
    lastLines.push(line);
    if (lastLines.length > LAST_LINES) lastLines.shift();
  });
  return lastLines;
}

async function untilUp(
  settings: DovecotSettings,
  {
    dovecot,
    exited,
    baseFolder,
    signal,
  }: { dovecot: ChildProcess; exited: Promise<Exit>; baseFolder: string; signal: AbortSignal },
): Promise<void> {
  const giveUp = new AbortController();
  const waiting = AbortSignal.any([signal, giveUp.signal, AbortSignal.timeout(READY_TIMEOUT_MS)]);
  const died = exited.then(({ lastLines }) => {
    const reasons = lastLines.filter((line) => LEVELS.test(line));
    throw new Error(`Dovecot did not start: ${reasons.join("; ") || "no output"}`);
  });
  try {
    await Promise.race([untilServing(settings, { baseFolder, signal: waiting }), died]);
  } catch (error) {
    giveUp.abort();
    await stopService(dovecot, exited);
    if (waiting.reason instanceof DOMException && waiting.reason.name === "TimeoutError")
      throw new Error("Dovecot did not accept connections in time", { cause: error });
    throw error;
  }
}

/** A file of each required Debian package. */
const PACKAGE_FILES = {
  "dovecot-core": "/usr/lib/dovecot/auth",
  "dovecot-imapd": "/usr/lib/dovecot/imap",
  "dovecot-pop3d": "/usr/lib/dovecot/pop3",
  "dovecot-lmtpd": "/usr/lib/dovecot/lmtp",
  "dovecot-pgsql": "/usr/lib/dovecot/modules/libdriver_pgsql.so",
  "dovecot-sieve": "/usr/lib/dovecot/modules/lib90_sieve_plugin.so",
  "dovecot-managesieved": "/usr/lib/dovecot/managesieve",
};

const installCommand = (packages: string[]) =>
  `apt-get install -y --no-install-recommends ${packages.join(" ")}`;

/**
 * Finds the Dovecot of this machine.
 *
 * @param path folders to search, as in PATH; /usr/sbin is always searched
 * @throws Error with the install command if it is missing, incomplete or not 2.3; the configuration of 2.4 is
 *   incompatible
 */
export async function findDovecot(path = process.env.PATH ?? ""): Promise<string> {
  const binary = await findBinary([...path.split(delimiter), "/usr/sbin"]);
  const all = Object.keys(PACKAGE_FILES);
  if (!binary) throw new Error(`Dovecot is not installed. Run: ${installCommand(all)}`);
  const { stdout } = await promisify(execFile)(binary, ["--version"]);
  const version = stdout.trim();
  if (!version.startsWith("2.3."))
    throw new Error(
      `Dovecot ${version} is installed, but 2.3 is needed (Debian 12 has it). Run there: ${installCommand(all)}`,
    );
  const missing = await missingPackages();
  if (missing.length > 0)
    throw new Error(`Parts of Dovecot are missing. Run: ${installCommand(missing)}`);
  return binary;
}

async function findBinary(folders: string[]): Promise<string | null> {
  for (const folder of folders.filter((folder) => folder !== ""))
    if (await exists(join(folder, "dovecot"))) return join(folder, "dovecot");
  return null;
}

async function missingPackages(): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, file] of Object.entries(PACKAGE_FILES))
    if (!(await exists(file))) missing.push(name);
  return missing;
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
