import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { NODE_FLAGS } from "#server/processes/node-process.ts";

import { aFreePort } from "./a-free-port.ts";
import { ensureBuilt, fileOf } from "./ensure-built.ts";
import { startReport } from "./start-report.ts";

export type WebProcess = {
  port: number;
  child: ChildProcess;
  /** Every line logged so far. */
  log: Record<string, unknown>[];
  /** Resolves with the first logged line that matches. */
  logged(fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
};

/** Starts `server/main.ts` with the production build on a free port. */
export async function startWebProcess({
  env = {},
  execArgv = [],
}: { env?: Record<string, string>; execArgv?: string[] } = {}): Promise<WebProcess> {
  await ensureBuilt();
  const port = await aFreePort();
  const child = spawn(process.execPath, [...NODE_FLAGS, ...execArgv, fileOf("server/main.ts")], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, ...env, NODE_ENV: "production", PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const log: WebProcess["log"] = [];
  const lines = createInterface({ input: child.stdout! });
  lines.on("line", (line) => log.push(read(line)));
  const exited = once(child, "exit");
  const report = await Promise.race([startReport(child), exited.then(() => null)]);
  if (report?.type !== "ready")
    throw new Error(`The web process did not start: ${JSON.stringify(log.at(-1))}`);
  return {
    port,
    child,
    log,
    async logged(fits) {
      for (;;) {
        const line = log.find(fits);
        if (line) return line;
        await once(lines, "line");
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await exited;
      }
    },
  };
}

function read(line: string): Record<string, unknown> {
  return line.startsWith("{") ? (JSON.parse(line) as Record<string, unknown>) : { msg: line };
}
