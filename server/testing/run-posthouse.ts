import { spawn } from "node:child_process";

import { fileOf } from "./ensure-built.ts";

export type Ran = { code: number | null; stdout: string; stderr: string };

/**
 * Runs the real `posthouse` command until it exits.
 *
 * @param env added to the test's own environment
 * @param launcher a program and its arguments that start the command
 */
export function runPosthouse(
  args: string[],
  env: Record<string, string | undefined> = {},
  launcher: string[] = [],
): Promise<Ran> {
  const [program, ...rest] = [
    ...launcher,
    process.execPath,
    fileOf("server/cli/posthouse.ts"),
    ...args,
  ];
  const child = spawn(program!, rest, {
    env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (ran.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (ran.stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ ...ran, code }));
  });
}
