import { type ChildProcess, spawn } from "node:child_process";
import { access, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import type { Logger } from "pino";

import { prepareRunFolder } from "#mail/dovecot/run-folder.ts";
import type { Config } from "#server/config.ts";
import {
  INSTALL_RSPAMD,
  pingRspamd,
  privateRspamdUrl,
  RSPAMD_BINARY,
} from "#server/gateways/rspamd.ts";
import type { Exit, Run } from "#server/processes/supervise.ts";
import { giveTo } from "#server/processes/open-no-follow.ts";
import { stopService, untilServiceExited } from "#server/processes/service-process.ts";
import { asServiceUser, type ServiceUser, serviceUser } from "#server/processes/service-user.ts";

import { RSPAMD_CONF, rspamdOptions } from "./rspamd-conf.ts";

/** Startup timeout: the first start compiles thousands of patterns. */
const READY_TIMEOUT_MS = 120_000;
const RETRY_MS = 200;
const LAST_LINES = 10;

/**
 * Starts a private rspamd with a fresh configuration and resolves once it scans. What it has learned is in
 * `rspamd/state` of the data folder. It exits with this process, or when `signal` aborts.
 *
 * @throws Error with what to do when it is not installed or does not start
 */
export async function startRspamd(
  { dataFolder, dnsServers }: Pick<Config, "dataFolder" | "dnsServers">,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<Run> {
  await requireInstalled();
  if (/\s/.test(dataFolder))
    throw new Error(`rspamd can't run with a space in the data folder's path: ${dataFolder}`);
  const user = await serviceUser();
  const folder = join(dataFolder, "rspamd");
  const run = join(folder, "run");
  const [etc, state, cache] = ["etc", "state", "cache"].map((name) => join(folder, name));
  for (const made of [folder, etc!, state!, cache!]) {
    await mkdir(made, { recursive: true, mode: 0o700 });
    giveTo(user, made);
  }
  await endPredecessor(run);
  const runFolder = await prepareRunFolder(run, user);
  const main = join(etc!, "rspamd.conf");
  await writeOwned(main, RSPAMD_CONF, user);
  await writeOwned(join(etc!, "options.inc"), rspamdOptions({ dnsServers }), user);
  signal.throwIfAborted();

  const variables = { ETC: etc!, STATE: state!, DBDIR: cache!, RUNDIR: runFolder };
  const { command, args } = await asServiceUser(
    {
      command: RSPAMD_BINARY,
      args: [
        "-f",
        "-c",
        main,
        ...Object.entries(variables).map(([name, value]) => `--var=${name}=${value}`),
      ],
    },
    { paths: [RSPAMD_BINARY, main], deathSignal: "TERM" },
  );
  const rspamd = spawn(command, args, {
    cwd: "/",
    // rspamd 3.4 crashes with the allocator that this process preloads.
    env: { ...process.env, LD_PRELOAD: undefined },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lastLines = readLog(rspamd, log);
  const exited = untilServiceExited(rspamd, lastLines);
  const stop = () => void stopService(rspamd, exited);
  signal.addEventListener("abort", stop, { once: true });
  void exited.then(() => signal.removeEventListener("abort", stop));

  await untilUp(run, { rspamd, exited, signal });
  return { pid: rspamd.pid!, exited };
}

async function requireInstalled(): Promise<void> {
  try {
    await access(RSPAMD_BINARY);
  } catch (error) {
    throw new Error(`rspamd is not installed. Run: ${INSTALL_RSPAMD}`, { cause: error });
  }
}

/** Kills orphaned workers of an rspamd whose main process was killed. */
async function endPredecessor(run: string): Promise<void> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const title = await readFile(`/proc/${entry}/cmdline`, "latin1").catch(() => "");
    if (!title.startsWith("rspamd: ") || !title.includes(`(${run}/`)) continue;
    // "pid (command) state ppid pgrp …"
    const stat = await readFile(`/proc/${entry}/stat`, "latin1").catch(() => "");
    const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
    if (group > 1) kill(-group);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited in the meantime.
  }
}

async function writeOwned(file: string, text: string, user: ServiceUser): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  giveTo(user, file);
}

/** Logged at `debug`: its warnings are about Internet maps and services that it doesn't need. */
function readLog(rspamd: ChildProcess, log: Logger): string[] {
  const lastLines: string[] = [];
  for (const stream of [rspamd.stdout!, rspamd.stderr!])
    createInterface({ input: stream }).on("line", (line) => {
      log.debug(line);
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) lastLines.shift();
    });
  return lastLines;
}

async function untilUp(
  run: string,
  { rspamd, exited, signal }: { rspamd: ChildProcess; exited: Promise<Exit>; signal: AbortSignal },
): Promise<void> {
  const giveUp = new AbortController();
  const waiting = AbortSignal.any([signal, giveUp.signal, AbortSignal.timeout(READY_TIMEOUT_MS)]);
  const died = exited.then(({ lastLines }) => {
    throw new Error(`rspamd did not start: ${lastLines.join("; ") || "no output"}`);
  });
  try {
    await Promise.race([untilAnswering(run, waiting), died]);
  } catch (error) {
    giveUp.abort();
    await stopService(rspamd, exited);
    throw error;
  }
}

async function untilAnswering(run: string, signal: AbortSignal): Promise<void> {
  const answers = () =>
    pingRspamd(privateRspamdUrl(run)).then(
      () => true,
      () => false,
    );
  while (!(await answers())) await sleep(RETRY_MS, undefined, { signal });
}
