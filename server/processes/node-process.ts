import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

import { machineMemory } from "./machine.ts";
import { type FileLock, withRunLock } from "./run-lock.ts";
import type { ChildMessage } from "./run-process.ts";
import type { ServiceCommand } from "./service-user.ts";
import { type Exit, lastWords, type Run } from "./supervise.ts";

/** How long a process may take to exit after SIGTERM; longer than its own shutdown limit. */
const STOP_GRACE_MS = 42_000;

const LAST_LINES = 30;

/** When a process counts as hung and is killed, in seconds. */
type Limits = {
  /** Without a heartbeat once it is ready: it is stopped or has a blocked event loop. */
  silent: number;
  /** Without a heartbeat before that; loading modules blocks the event loop. */
  silentAtStart: number;
  /** Until it is ready, even with heartbeats. */
  start: number;
};

/** Ticks of the timer in the shortest limit. Few, because each wakes this process. */
const TICKS = 4;
const LIMITS: Limits = { silent: 20, silentAtStart: 60, start: 600 };

/**
 * Starts one of our processes and resolves when it reports `ready`. It runs in its own session, so that Ctrl-C in the
 * terminal reaches the supervisor only, and detects the end of the supervisor by its IPC channel.
 *
 * @throws Error with the reason when it exits or reports `failed` before it is ready
 */
export async function startNodeProcess(
  {
    file,
    env,
    runLock = null,
    cwd,
    wrap = (command) => Promise.resolve(command),
    onLine,
    limits = {},
  }: {
    file: string;
    env: NodeJS.ProcessEnv;
    /** Kept open by the process until it exits. */
    runLock?: FileLock | null;
    cwd?: string;
    /** Changes the command line, to run the process as another user. It must exec, to keep the pid. */
    wrap?: (command: ServiceCommand) => Promise<ServiceCommand>;
    onLine: (line: string, stream: "stdout" | "stderr") => void;
    limits?: Partial<Limits>;
  },
  signal: AbortSignal,
): Promise<Run> {
  const { command, args } = await wrap({
    command: process.execPath,
    args: [...NODE_FLAGS, file],
  });
  const child = spawn(command, args, {
    cwd,
    env: { ...ALLOCATOR_ENV, ...env },
    detached: true,
    stdio: withRunLock(["ignore", "pipe", "pipe", "ipc"], runLock),
  });
  const lastLines = readLines(child, onLine);
  const exited = untilExited(child, lastLines);
  stopOnAbort(child, exited, signal);
  killWhenHung(child, { exited, lastLines, limits: { ...LIMITS, ...limits } });
  await untilReady(child, exited);
  return { pid: child.pid!, exited };
}

/**
 * Kills a process that stops sending heartbeats or never becomes ready. Counts its own timer ticks, so that
 * no time passes while this process is stopped or the machine is suspended.
 */
function killWhenHung(
  child: ChildProcess,
  { exited, lastLines, limits }: { exited: Promise<Exit>; lastLines: string[]; limits: Limits },
): void {
  let isReady = false;
  let silentSeconds = 0;
  let startSeconds = 0;
  child.on("message", ({ type }: ChildMessage) => {
    silentSeconds = 0;
    if (type === "ready") isReady = true;
  });
  const overrun = () => {
    const silentMax = isReady ? limits.silent : limits.silentAtStart;
    if (silentSeconds > silentMax) return `did not respond for ${silentMax} s`;
    return startSeconds > limits.start ? `was not ready within ${limits.start} s` : null;
  };
  // The next tick can follow a heartbeat at once.
  const tickSeconds = Math.min(...Object.values(limits)) / TICKS;
  const timer = setInterval(() => {
    silentSeconds += tickSeconds;
    if (!isReady) startSeconds += tickSeconds;
    const reason = overrun();
    if (reason === null) return;
    lastLines.push(`Error: it ${reason} and was killed`);
    clearInterval(timer);
    child.kill("SIGKILL");
  }, tickSeconds * 1_000).unref();
  void exited.then(() => clearInterval(timer));
}

function readLines(child: ChildProcess, onLine: (line: string, from: "stdout" | "stderr") => void) {
  const lastLines: string[] = [];
  for (const name of ["stdout", "stderr"] as const)
    createInterface({ input: child[name]! }).on("line", (line) => {
      if (!line.trim()) return;
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) lastLines.shift();
      onLine(line, name);
    });
  return lastLines;
}

function untilExited(child: ChildProcess, lastLines: string[]): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      if (child.pid === undefined)
        resolve({ code: null, signal: null, lastLines: [error.message] });
    });
    // `close` comes after the last line was read, but waits for grandchildren that hold the pipes.
    child.once("exit", (code, signal) => {
      const settle = () => resolve({ code, signal, lastLines });
      child.once("close", settle);
      setTimeout(settle, 500).unref();
    });
  });
}

function stopOnAbort(child: ChildProcess, exited: Promise<Exit>, signal: AbortSignal): void {
  const stop = () => {
    child.kill("SIGTERM");
    const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
    void exited.then(() => clearTimeout(impatience));
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  void exited.then(() => signal.removeEventListener("abort", stop));
}

function untilReady(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  let failure: string | null = null;
  return new Promise<void>((resolve, reject) => {
    child.on("message", (report: ChildMessage) => {
      if (report.type === "failed") failure = report.message;
      else if (report.type === "ready") resolve();
    });
    void exited.then(({ lastLines }) =>
      reject(new Error(failure ?? lastWords(lastLines) ?? "exited without output")),
    );
  });
}

const GB = 1024 ** 3;

/**
 * Command-line flags for every long-lived Node.js process of the appliance.
 *
 * V8 sizes the young generation by the machine's memory, up to 3 × 64 MB a process. With a smaller one, sending takes 2 %
 * more CPU, but on a small machine the memory under load matters more. An idle process returns its memory anyway
 * (`trim-memory.ts`).
 */
export const NODE_FLAGS = [
  "--disable-warning=ExperimentalWarning",
  ...(machineMemory() < 4 * GB ? ["--max-semi-space-size=16"] : []),
];

const FOLDERS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: "/usr/lib/x86_64-linux-gnu",
  arm64: "/usr/lib/aarch64-linux-gnu",
};

const LIBRARY = `${FOLDERS[process.arch] ?? "/usr/lib"}/libjemalloc.so.2`;

/**
 * Environment of every long-lived Node.js process: makes it allocate with jemalloc, if Debian's `libjemalloc2` is
 * installed. glibc's allocator keeps the memory allocated during peak load (100 MB in the worker after 20,000 emails),
 * since it only returns what lies at the end of its heap. No background thread: setpriv(1) aborts with one.
 */
export const ALLOCATOR_ENV: Partial<Record<"LD_PRELOAD" | "MALLOC_CONF", string>> = existsSync(
  LIBRARY,
)
  ? { LD_PRELOAD: LIBRARY, MALLOC_CONF: "narenas:2,dirty_decay_ms:2000,muzzy_decay_ms:0" }
  : {};
