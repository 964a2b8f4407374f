import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { aFreePort } from "./a-free-port.ts";
import { ensureBuilt } from "./ensure-built.ts";

const COMMAND = join(import.meta.dirname, "../cli/posthouse.mjs");
const PORTS = [
  "PORT",
  "SMTP_PORT",
  "SUBMISSION_PORT",
  "SUBMISSIONS_PORT",
  "IMAP_PORT",
  "IMAPS_PORT",
  "POP3_PORT",
  "POP3S_PORT",
  "SIEVE_PORT",
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
  /** Sends SIGTERM and resolves to the exit code. */
  stop(): Promise<number | null>;
  /** How to sign in to its sandbox company. */
  secrets: () => { apiKey: string; password: string };
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
  for (const name of PORTS) env[name] = String(await aFreePort());
  return env;
}

/** Runs `posthouse start`, or `command`, which runs it. */
export function startAppliance(
  env: NodeJS.ProcessEnv,
  [program, ...args]: [string, ...string[]] = [process.execPath, COMMAND, "start"],
): Appliance {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
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
    stop() {
      child.kill("SIGTERM");
      return exited;
    },
    secrets: () =>
      JSON.parse(
        readFileSync(join(env.POSTHOUSE_DATA!, "keys/sandbox.json"), "utf8"),
      ) as ReturnType<Appliance["secrets"]>,
    says(text) {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve();
        };
        child.on("said", look);
        look();
        const lastLines = () => output.trimEnd().split("\n").slice(-10).join("\n");
        void exited.then(() =>
          reject(new Error(`It ended without saying "${text}":\n${lastLines()}`)),
        );
      });
    },
  };
}

/** Runs `posthouse start` until it is ready. */
export async function aReadyAppliance(env: NodeJS.ProcessEnv): Promise<Appliance> {
  await ensureBuilt();
  const appliance = startAppliance(env);
  await appliance.says("Posthouse is ready");
  return appliance;
}

/** Submits emails through the REST API as the sandbox company. Returns the status. */
export async function sendBatch({ env, secrets }: Appliance, emails: object[]): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${env.PORT!}/emails/batch`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secrets().apiKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(emails),
  });
  return answer.status;
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
