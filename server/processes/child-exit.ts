import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";

/**
 * Waits until a process has exited and its output was read. Call right after `spawn`, so that no event is missed.
 *
 * @returns its exit code; null if a signal ended it
 * @throws Error if it couldn't be started
 */
export async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

/** Writes all of a process's input. A process may end before it has read that; its exit code says whether it failed. */
export function writeInput({ stdin }: { stdin: Writable | null }, input: string): void {
  stdin!.on("error", () => {});
  stdin!.end(input);
}
