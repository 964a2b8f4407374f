import { execFile, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  lstatSync,
  readFileSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import {
  createFolder,
  openFolder,
  openNoFollow,
  rename,
} from "#server/processes/open-no-follow.ts";

import { type InstallPaths, SERVICE } from "./installed-files.ts";

const run = promisify(execFile);

const STOP_TIMEOUT_MS = 60_000;

export type ServiceManager = {
  name: "systemd" | "none";
  /** Starts the service now and at boot, or restarts it. */
  start(): Promise<void>;
  /** Stops the service, now and at boot. */
  stop(): Promise<void>;
  isRunning(): Promise<boolean>;
  /** Shows the log of a failed start. */
  logCommand: string;
};

/** systemd where it runs. In a container without it, Posthouse runs in the background, until the container stops. */
export const serviceManager = (paths: InstallPaths, dataFolder: string): ServiceManager =>
  existsSync(paths.systemd) ? systemd(paths) : background(paths, dataFolder);

const systemd = (paths: InstallPaths): ServiceManager => ({
  name: "systemd",
  logCommand: "journalctl -u posthouse -n 50",
  start: async () => {
    await disableDistributionDovecot();
    await run("systemctl", ["daemon-reload"]);
    await run("systemctl", ["enable", "--quiet", SERVICE]);
    // Ends the pause after too many failed starts.
    await run("systemctl", ["reset-failed", SERVICE]).catch(() => {});
    await run("systemctl", ["restart", SERVICE]);
  },
  isRunning: () => isActive(SERVICE),
  stop: async () => {
    if (existsSync(paths.unit)) await run("systemctl", ["disable", "--now", "--quiet", SERVICE]);
  },
});

/**
 * Debian's package has a service that would take the ports at the next boot. If it runs, the operator uses it, and the check of
 * the ports has said so.
 */
async function disableDistributionDovecot(): Promise<void> {
  if (await isActive("dovecot.service")) return;
  const units = ["dovecot.service", "dovecot.socket"];
  // Fails if there is no such service.
  await run("systemctl", ["disable", "--quiet", ...units]).catch(() => {});
}

const isActive = (unit: string) =>
  run("systemctl", ["is-active", "--quiet", unit]).then(
    () => true,
    () => false,
  );

/** The log file where systemd doesn't run. */
export const backgroundLog = (dataFolder: string) => join(dataFolder, "logs/posthouse.log");

function background(paths: InstallPaths, dataFolder: string): ServiceManager {
  const log = backgroundLog(dataFolder);
  return {
    name: "none",
    logCommand: `tail -n 50 ${log}`,
    start: async () => {
      await stopSupervisor(dataFolder);
      const output = openStartLog(log, dataFolder);
      const child = spawn(paths.command, ["start"], {
        detached: true,
        stdio: ["ignore", output, output],
      });
      closeSync(output);
      child.unref();
    },
    isRunning: async () => (await findSupervisor(dataFolder)) !== null,
    stop: () => stopSupervisor(dataFolder),
  };
}

/** Opens a new log, and keeps the previous one as `posthouse.log.1`. The log and its folder get the data folder's owner. */
function openStartLog(log: string, dataFolder: string): number {
  const { uid, gid } = statSync(dataFolder);
  createFolder(dirname(log), { mode: 0o755 });
  if (lstatSync(log, { throwIfNoEntry: false })) rename(log, `${log}.1`);
  const { O_WRONLY, O_CREAT, O_APPEND } = constants;
  const output = openNoFollow(log, O_WRONLY | O_CREAT | O_APPEND, 0o640);
  using folder = openFolder(dirname(log));
  if (folder.fd !== null) fchownSync(folder.fd, uid, gid);
  fchownSync(output, uid, gid);
  return output;
}

async function stopSupervisor(dataFolder: string): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  const found = existsSync(dataFolder) ? await findSupervisor(dataFolder) : null;
  const pid = Number(/^pid (\d+)/.exec(found ?? "")?.[1] ?? 0);
  if (!pid) return;
  endProcess(pid, dataFolder);
  while ((await findSupervisor(dataFolder)) !== null) {
    if (performance.now() > deadline)
      throw new Error(`Posthouse (pid ${pid}) didn't stop within ${STOP_TIMEOUT_MS / 1_000} s`);
    await sleep(200);
  }
}

/** @throws Error for a process of another user than the data folder's */
function endProcess(pid: number, dataFolder: string): void {
  const uid = userOf(pid);
  if (uid === null) return;
  // The service can write any number to the file, and a container's processes have other numbers.
  if (uid !== statSync(dataFolder).uid)
    throw new Error(
      `Process ${pid} belongs to another user than ${dataFolder}. Stop the Posthouse that runs there, then try again`,
    );
  process.kill(pid, "SIGTERM");
}

/** The user ID of a process; null if it has ended. */
function userOf(pid: number): number | null {
  try {
    const [, uid] = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(uid);
  } catch {
    return null;
  }
}
