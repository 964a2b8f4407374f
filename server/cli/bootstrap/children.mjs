import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** What must be undone even when the bootstrap is interrupted. @type {Set<() => void>} */
export const atExit = new Set();

/** Time for what runs to put its things in order; npm and apt-get have locks and half-written files. */
const END_GRACE_MS = 5_000;

process.on("exit", () => {
  endChildren("SIGKILL");
  for (const undo of atExit) undo();
});

/** Ctrl-C and SIGTERM end the bootstrap and what it runs. Undone by `handOver`. */
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

/** Each child leads a process group of its own: its children end with it. @param {NodeJS.Signals} signal */
function endChildren(signal) {
  for (const { pid } of running) {
    try {
      if (pid) process.kill(-pid, signal);
    } catch {
      // It has just ended by itself.
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

/** A command that had to succeed and did not; the end of what it said is in `output`. */
export class CommandFailed extends Error {
  /** @param {string} message @param {string} output */
  constructor(message, output) {
    super(message);
    this.output = shorten(output.trim().split("\n"));
  }
}

/** The reason stands at the beginning with some tools, at the end with others. @param {string[]} lines */
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

/**
 * Gives the terminal to a command until it ends.
 *
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export function handOver(command, args) {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  // The channel tells the command when this process is gone, even by kill -9.
  const child = spawn(command, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // In a terminal the command has had Ctrl-C itself; SIGTERM once more does no harm to it.
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

/** Started by npm, this process ends with npm: killed by -9 it passes no signal on. @param {() => void} end */
function watchParent(end) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end();
  }, 1_000);
  timer.unref();
  return timer;
}
