import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

import type { Logger } from "pino";

import { pool } from "#server/db/pool.ts";
import { dovecotAdmin, type DovecotAdmin } from "#server/gateways/dovecot.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/machine.ts";
import { inheritedRunLock, withServiceLock } from "#server/processes/run-lock.ts";
import { runLoop } from "#server/processes/run-loop.ts";
import { stopService, untilServiceExited } from "#server/processes/service-process.ts";
import { asServiceUser, serviceUser } from "#server/processes/service-user.ts";
import type { Exit, Run } from "#server/processes/supervise.ts";

import { listenForDiskQuota } from "./disk-quota-socket.ts";
import { dovecotFolders } from "./folders.ts";
import { listenForLearning } from "./junk/learning-socket.ts";
import { prepareRunFolder, removeRunFolder } from "./run-folder.ts";
import { listenForKicks, signalSessions } from "./session-socket.ts";
import type { DovecotSettings } from "./settings.ts";
import { isDiskLow } from "./sql-conf.ts";
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
  { binary, log, signal }: { binary: string; log: Logger; signal: AbortSignal },
): Promise<Run> {
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
  const admin = dovecotAdmin(settings.dataFolder);
  const stopKicks = await listenForKicks(baseFolder, { user, log, admin });
  const stopDiskQuota =
    settings.version === "2.3"
      ? await listenForDiskQuota(baseFolder, {
          user,
          log,
          isFull: async () => (await freeBytesAt(settings.dataFolder)) < DISK_RESERVE_BYTES,
        })
      : watchDisk(admin);
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
    stopKicks();
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

/**
 * Expected: replies to our own signals, a warning per session beyond 128 in IDLE, and an error per script that another version of
 * Dovecot compiled.
 */
const AS_ASKED =
  /Warning: Killed with signal 15|^master: Warning: SIGHUP received|Warning: Shutting down logging|Warning: Inotify instance limit|Error: .*automatically fixed when re-compiled/;

/** Reads the log, since Dovecot blocks on a full pipe. Expected lines are logged at `debug`. */
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

const CHECK_EVERY_MS = 2_000;

/**
 * Ends the IMAP sessions of Dovecot 2.4 when free disk space falls below the reserve or rises above it again, because whether
 * they may save mail is decided only at sign-in. Reads this from the database, as sign-ins do: each mail process writes it there
 * with its heartbeat.
 *
 * @returns a function that stops watching
 */
function watchDisk(admin: DovecotAdmin): () => void {
  let wasLow: boolean | null = null;
  const watch = async () => {
    const [row] = await pool().sql.unsafe<{ isLow: boolean }[]>(`select ${isDiskLow} as "isLow"`);
    const { isLow } = row!;
    if (wasLow !== null && isLow !== wasLow) {
      const all = await admin.sessionProcesses();
      await signalSessions(all.filter(({ service }) => service === "imap"));
    }
    wasLow = isLow;
  };
  // Without the database all sign-ins fail, and `watchDatabase` reports it.
  const watching = runLoop(watch, { pauseMs: CHECK_EVERY_MS, ref: false, onError: () => {} });
  return () => void watching.stop();
}
