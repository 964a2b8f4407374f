import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import { type Appliance, descendantsOf, startAppliance } from "#server/testing/start-appliance.ts";

export const TARGETS = [
  "web",
  "worker",
  "mail",
  "dovecot",
  "postgres",
  "supervisor",
  "all",
] as const;
export type Target = (typeof TARGETS)[number];

/** Restart delay, like a service manager's. */
const RESTART_AFTER_MS = 500;

/** An appliance that is restarted whenever its supervisor exits, as systemd or Docker would. */
export type SupervisedAppliance = {
  /** Resolves when the first start is done. */
  ready: Promise<void>;
  /** Kills a target with SIGKILL. @returns when, as `Date.now()`: finding its processes takes a while */
  kill(target: Target): Promise<number>;
  /** Starts that ended before the appliance was ready. */
  failedStarts(): number;
  /** What its supervisors printed. */
  output(): string;
  stop(): Promise<void>;
};

export function superviseAppliance(env: NodeJS.ProcessEnv): SupervisedAppliance {
  let current = startAppliance(env);
  let isStopping = false;
  const outputs: Appliance[] = [current];
  const ended = keepRunning();

  return {
    ready: current.says("Posthouse is ready"),
    async kill(target) {
      const pids = await pidsOf(target, current.process.pid!);
      for (const pid of pids) endNow(pid);
      return Date.now();
    },
    failedStarts: () =>
      // The last one is still running.
      outputs.slice(0, -1).filter((each) => !each.output().includes("Posthouse is ready")).length,
    output: () => outputs.map((each) => each.output()).join("\n"),
    async stop() {
      isStopping = true;
      current.process.kill("SIGTERM");
      await ended;
    },
  };

  async function keepRunning(): Promise<void> {
    await current.exited.then(() => delay(RESTART_AFTER_MS));
    while (!isStopping) {
      current = startAppliance(env);
      outputs.push(current);
      await current.exited.then(() => delay(RESTART_AFTER_MS));
    }
  }
}

/** The main program of each role, as its command line shows it. */
const PROGRAMS = { web: "server/main.", worker: "worker/main.", mail: "mail/main." };

/** @throws Error when the target isn't running */
async function pidsOf(target: Target, supervisor: number): Promise<number[]> {
  if (target === "supervisor") return [supervisor];
  const all = await descendantsOf(supervisor);
  // The supervisor first, so that it doesn't notice the others exiting.
  if (target === "all") return [supervisor, ...all];
  const described = await Promise.all(all.map(describe));
  const found = described.filter(({ name, command }) =>
    target === "dovecot" || target === "postgres"
      ? name === target && (target === "dovecot" || command.includes(" -D "))
      : command.includes(PROGRAMS[target]),
  );
  const pids = found.map(({ pid }) => pid);
  return target === "dovecot" ? (await Promise.all(pids.map(withDescendants))).flat() : pids;
}

const withDescendants = async (pid: number) => [pid, ...(await descendantsOf(pid))];

async function describe(pid: number) {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
  const [name, command] = await Promise.all([read("comm"), read("cmdline")]);
  return { pid, name: name.trim(), command: command.replaceAll("\0", " ") };
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just exited on its own.
  }
}
