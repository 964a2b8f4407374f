import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { freePort } from "#server/processes/free-port.ts";

const COMMAND = join(import.meta.dirname, "../cli/posthouse.mjs");
const PORTS = [
  ...["PORT", "SMTP_PORT", "SUBMISSION_PORT", "SUBMISSIONS_PORT", "IMAP_PORT", "IMAPS_PORT"],
  ...["POP3_PORT", "POP3S_PORT", "SIEVE_PORT"],
];

/** A whole appliance in local mode, started with `posthouse start`. */
export type Appliance = {
  process: ChildProcess;
  env: NodeJS.ProcessEnv;
  /** Everything it has printed so far. */
  output(): string;
  /** Resolves once the output contains the text; rejects if the process exits before. */
  says(text: string): Promise<void>;
  exited: Promise<number | null>;
};

/** Settings of an appliance on its own ports, with an embedded Postgres. */
export async function applianceEnv(dataFolder: string): Promise<NodeJS.ProcessEnv> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: "production",
    POSTHOUSE_DATA: dataFolder,
    NO_COLOR: "1",
    // Empty counts as unset, so the appliance starts its own Postgres.
    DATABASE_URL: "",
  };
  for (const name of PORTS) env[name] = String(await freePort());
  return env;
}

/** Runs `posthouse start`. */
export function startAppliance(env: NodeJS.ProcessEnv): Appliance {
  const child = spawn(process.execPath, [COMMAND, "start"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    child.emit("said");
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return {
    process: child,
    env,
    output: () => output,
    exited,
    says(text) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve();
        };
        child.on("said", look);
        look();
        void exited.then(() => reject(new Error(`It ended without saying "${text}":\n${output}`)));
      });
    },
  };
}

/** All descendants of a process, read from /proc. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  for (const each of found)
    for (const [child, parent] of parents) if (parent === each) found.push(child);
  return found.slice(1);
}

/** The command lines of those processes that still run. Zombies don't count. */
export function runningOf(pids: number[]): string[] {
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      if (stat[stat.lastIndexOf(")") + 2] === "Z") return [];
      return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
    } catch {
      return [];
    }
  });
}
