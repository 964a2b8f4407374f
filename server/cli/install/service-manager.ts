import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";

import { type InstallPaths, SERVICE } from "./install-paths.ts";

const run = promisify(execFile);

const STOP_TIMEOUT_MS = 60_000;

export type ServiceManager = {
  name: "systemd" | "none";
  /** Starts the service now and at boot, or restarts it. */
  start(): Promise<void>;
  /** Stops the service, now and at boot. */
  stop(): Promise<void>;
  /** Shows the log of a failed start. */
  logCommand: string;
};

/** systemd where it runs. In a container without it, Posthouse runs in the background, until the container stops. */
export function serviceManager(paths: InstallPaths, dataFolder: string): ServiceManager {
  return existsSync(paths.systemd) ? systemd(paths) : background(paths, dataFolder);
}

function systemd(paths: InstallPaths): ServiceManager {
  return {
    name: "systemd",
    logCommand: "journalctl -u posthouse -n 50",
    start: async () => {
      await run("systemctl", ["daemon-reload"]);
      await run("systemctl", ["enable", "--quiet", SERVICE]);
      // Ends the pause after too many failed starts.
      await run("systemctl", ["reset-failed", SERVICE]).catch(() => {});
      await run("systemctl", ["restart", SERVICE]);
    },
    stop: async () => {
      if (existsSync(paths.unit)) await run("systemctl", ["disable", "--now", "--quiet", SERVICE]);
    },
  };
}

function background(paths: InstallPaths, dataFolder: string): ServiceManager {
  const log = join(dataFolder, "logs/start.log");
  return {
    name: "none",
    logCommand: `tail -n 50 ${log}`,
    start: async () => {
      await stopSupervisor(dataFolder);
      mkdirSync(join(dataFolder, "logs"), { recursive: true });
      const output = openSync(log, "a", 0o640);
      const child = spawn(paths.command, ["start"], {
        detached: true,
        stdio: ["ignore", output, output],
      });
      child.unref();
    },
    stop: () => stopSupervisor(dataFolder),
  };
}

async function stopSupervisor(dataFolder: string): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  const found = existsSync(dataFolder) ? await findSupervisor(dataFolder) : null;
  const pid = Number(/^pid (\d+)/.exec(found ?? "")?.[1] ?? 0);
  if (!pid) return;
  process.kill(pid, "SIGTERM");
  while ((await findSupervisor(dataFolder)) !== null) {
    if (performance.now() > deadline)
      throw new Error(`Posthouse (pid ${pid}) didn't stop within ${STOP_TIMEOUT_MS / 1_000} s`);
    await sleep(200);
  }
}
