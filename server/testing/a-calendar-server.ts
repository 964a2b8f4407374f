import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { vi } from "vitest";

import { programFile } from "#server/processes/program-file.ts";

/** Starts Radicale as its image does, with collections in the data folder. */
export async function aCalendarServer(dataFolder: string) {
  const data = join(dataFolder, "calendars");
  const child: ChildProcess = spawn(programFile("docker/calendar/start.sh"), {
    env: { ...process.env, CALENDAR_DATA: data },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const socketPath = join(data, "http.sock");
  await vi.waitFor(() => {
    if (!existsSync(socketPath)) throw new Error("Radicale hasn't started");
  });
  return {
    socketPath,
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
