import { spawn } from "node:child_process";

/** What a program said, and how it ended. */
export type Ran = { code: number | null; output: string };

const TIMEOUT_MS = 60_000;

/**
 * Runs a mail program to its end, as a script does: `input` is typed into it.
 *
 * @param env beside the test's own; the home folder belongs here
 */
export function runProgram(
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
  // A program may end before it has read all of it.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
