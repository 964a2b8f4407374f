import { spawn } from "node:child_process";
import { join } from "node:path";

const COMMAND = join(import.meta.dirname, "../cli/posthouse.ts");

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs the real `posthouse` command to its end. `env` is added to the test's own. */
export function runPosthouse(
  args: string[],
  env: Record<string, string | undefined> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
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
