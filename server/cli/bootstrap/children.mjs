import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** Cleanups that run even when the bootstrap is interrupted. @type {Set<() => void>} */
export const atExit = new Set();

/** Grace period for children: npm and apt-get have locks to release and files to finish. */
const END_GRACE_MS = 5_000;

process.on("exit", () => {
  endChildren("SIGKILL");
  for (const undo of atExit) undo();
});

/** Ctrl-C and SIGTERM end the bootstrap and its children, until `leaveSignals`. */
export function endOnSignals() {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
  for (const [name, code] of Object.entries(codes)) process.on(name, () => end(code));
}

/** @param {number} code */
function end(code) {
  endChildren("SIGTERM");
  const deadline = performance.now() + END_GRACE_MS;
  setInterval(() => {
    if (running.size === 0 || performance.now() > deadline) process.exit(code);
  }, 50);
}

/** Signals each child's process group, so its children end too. @param {NodeJS.Signals} signal */
function endChildren(signal) {
  for (const { pid } of running) {
    try {
      if (pid) process.kill(-pid, signal);
    } catch {
      // The child has already exited.
    }
  }
}

/**
 * Runs a command to completion and collects its output.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, onLine?: ((line: string) => void) | undefined }}
 *   [options] `onLine` receives each line as it arrives; `output` stays empty
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { onLine, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...options,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      if (onLine) createInterface({ input: stream }).on("line", onLine);
      else stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => {
      running.delete(child);
      resolve({ code: 127, output: error.message });
    });
    child.once("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** A command that had to succeed failed; `output` has the end of its output. */
export class CommandFailed extends Error {
  /** @param {string} message @param {string} output */
  constructor(message, output) {
    super(message);
    this.output = shorten(output.trim().split("\n"));
  }
}

/** Some tools print the reason first, others last. @param {string[]} lines */
function shorten(lines) {
  if (lines.length <= 60) return lines.join("\n");
  return [...lines.slice(0, 20), "…", ...lines.slice(-40)].join("\n");
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export async function mustRun(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code === 0) return output;
  throw new CommandFailed(`\`${[command, ...args].join(" ")}\` failed (${code})`, output);
}

/** Leaves signals to the command that takes over. */
export function leaveSignals() {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
}

/**
 * Gives the terminal to a command until it ends.
 *
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export function handOver(command, args) {
  leaveSignals();
  // The channel tells the command when this process is gone, even by kill -9.
  const child = spawn(command, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // In a terminal the command has received Ctrl-C too; an extra SIGTERM is harmless.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => child.kill("SIGTERM"));
  const watch = watchParent(() => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`posthouse: ${command} cannot be started: ${error.message}`);
      resolve(127);
    });
    child.once("exit", (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === "SIGKILL" ? 137 : 143));
    });
  });
}

/** Ends this process when npm, its parent, ends: after kill -9 npm forwards no signal. @param {() => void} end */
export function watchParent(end) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end();
  }, 1_000);
  timer.unref();
  return timer;
}
