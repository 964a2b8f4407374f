import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Time for a DNS provider's API, and until all of its servers have the record. */
const HOOK_TIMEOUT_MS = 300_000;

/**
 * Runs the operator's program that publishes or deletes a TXT record: `hook present NAME TEXT`, `hook cleanup
 * NAME TEXT`. `present` must not return before the zone's servers have the record.
 *
 * @throws Error with the program's last line of output
 */
export async function runDnsHook(
  hook: string,
  action: "present" | "cleanup",
  { name, text }: { name: string; text: string },
): Promise<void> {
  try {
    await run(hook, [action, name, text], { timeout: HOOK_TIMEOUT_MS });
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
    const lastLine = output.trim().split("\n").at(-1)?.slice(0, 300);
    const reason = lastLine || (error instanceof Error ? error.message : String(error));
    throw new Error(`${hook} ${action} failed: ${reason}`, { cause: error });
  }
}
