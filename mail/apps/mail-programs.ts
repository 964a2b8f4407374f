import { spawn } from "node:child_process";

import { exitCodeOf, writeInput } from "#server/processes/child-exit.ts";

/** Output and exit code of a program. */
export type Ran = { code: number | null; output: string };

const TIMEOUT_MS = 60_000;

/**
 * Runs a mail program to completion with `input` on standard input.
 *
 * @param env added to the environment of the test; must include HOME
 */
export async function runProgram(
  command: string,
  args: string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = spawn(command, args, {
    env: { ...process.env, LANG: "C.UTF-8", TERM: "dumb", ...env },
    timeout: TIMEOUT_MS,
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  writeInput(child, input);
  return { code: await exitCodeOf(child), output };
}
