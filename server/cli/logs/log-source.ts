import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { CommandError } from "#server/cli/command-error.ts";
import { installPaths } from "#server/cli/install/install-paths.ts";
import { backgroundLog } from "#server/cli/install/service-manager.ts";
import { exitCodeOf } from "#server/processes/child-exit.ts";

type ShellCommand = [command: string, ...args: string[]];

/** Commands that print the output of `posthouse start`: the existing lines, and the lines added from now on. */
export type LogSource = { existing: ShellCommand; added: ShellCommand };

const JOURNAL: ShellCommand = [
  "journalctl",
  "--unit=posthouse",
  "--output=cat",
  "--no-pager",
  "--quiet",
];

/**
 * The journal if systemd runs the service on this data folder, or the log file if install started it without systemd. Null in
 * Docker and in the foreground, where Posthouse doesn't know where its output goes.
 */
export function findLogSource(dataFolder: string, root?: string): LogSource | null {
  const { systemd, unit } = installPaths(root);
  if (existsSync(systemd) && existsSync(unit))
    if (readFileSync(unit, "utf8").includes(`ReadWritePaths=${dataFolder} `))
      return { existing: JOURNAL, added: [...JOURNAL, "--follow", "--lines=0"] };
  const file = backgroundLog(dataFolder);
  if (!existsSync(file)) return null;
  return {
    existing: ["cat", file],
    added: ["tail", "--lines=0", "--follow=name", "--retry", file],
  };
}

/** @throws CommandError if the command fails, for example because the user may not read the journal */
export async function* readExisting({ existing: [command, ...args] }: LogSource) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = Promise.all([exitCodeOf(child), text(child.stderr)]);
  yield* createInterface({ input: child.stdout });
  const [code, complaint] = await ended;
  if (code !== 0)
    throw new CommandError(`The log can't be read: ${complaint.trim() || `exit code ${code}`}`);
}

/** Collects the lines that are added from now on. */
export function followAdded({ added: [command, ...args] }: LogSource, signal: AbortSignal) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  signal.addEventListener("abort", () => child.kill());
  child.once("error", () => {
    // `readExisting` has failed for the same reason.
  });
  return { take: () => lines.splice(0) };
}
