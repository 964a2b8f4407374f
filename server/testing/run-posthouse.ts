import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";

import { exitCodeOf, writeInput } from "#server/processes/child-exit.ts";

import { fileOf } from "./ensure-built.ts";

export type Ran = { code: number | null; stdout: string; stderr: string };

/** The command that runs a program as an unprivileged user; requires root. */
export const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/** Whether other users can read this clone. In root's home folder, for example, they can't. */
export function isCloneOpen(): boolean {
  const [program, ...args] = [...AS_NOBODY, "test", "-r", process.execPath];
  return spawnSync(program, args).status === 0;
}

/**
 * Runs the real `posthouse` command until it exits.
 *
 * @param env added to the test's own environment
 * @param launcher a program and its arguments that start the command
 * @param input for standard input
 */
export async function runPosthouse(
  args: string[],
  env: Record<string, string | undefined> = {},
  launcher: string[] = [],
  input = "",
): Promise<Ran> {
  const [program, ...rest] = [
    ...launcher,
    process.execPath,
    fileOf("server/cli/posthouse.ts"),
    ...args,
  ];
  const child = spawn(program!, rest, {
    env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  writeInput(child, input);
  const [code, stdout, stderr] = await Promise.all([
    exitCodeOf(child),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
