import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

import { bundleOf, ensureBundles } from "#server/cli/bootstrap/bundle.mjs";
import { inRoot } from "#server/cli/bootstrap/paths.mjs";
import { ALLOCATOR_ENV, NODE_FLAGS } from "#server/processes/node-process.ts";

type Start = { env?: Record<string, string>; args?: string[]; execArgv?: string[] };

/** Every process that was started. */
export const children: ChildProcess[] = [];

/** Ends the processes that still run. */
export async function endChildren(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "exit");
    }
}

/** Starts a file of the repository as a separate process; `first` is its first message other than `alive`. */
export async function startChild(
  file: string,
  { env = {}, args = [], execArgv = [] }: Start = {},
): Promise<{ child: ChildProcess; first: Record<string, unknown> }> {
  await ensureBundles();
  const program = existsSync(bundleOf(file)) ? bundleOf(file) : inRoot(file);
  const child = fork(program, args, {
    env: { ...ALLOCATOR_ENV, ...process.env, ...env },
    execArgv: [...NODE_FLAGS, ...execArgv],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  children.push(child);
  for (;;) {
    const [first] = (await once(child, "message")) as [Record<string, unknown>];
    if (first.type !== "alive") return { child, first };
  }
}
