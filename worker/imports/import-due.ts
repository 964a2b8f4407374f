import type { Logger } from "pino";

import { leaseImport } from "#server/core/mailboxes/imports/import-leases.ts";
import type { Db } from "#server/db/client.ts";
import { pause } from "#server/processes/pause.ts";

import { runImport } from "./run-import.ts";

/** Each has a connection to Dovecot and one to another server, and 8 MB of messages; a large message takes more. */
const AT_ONCE = 4;
const LOOK_EVERY_MS = 1_000;

/** Runs imports, several at once, until none is left. */
export async function importDue(
  db: Db,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  let running = 0;
  const runAll = async () => {
    while (!signal.aborted) {
      const lease = await leaseImport(db);
      if (lease) {
        running += 1;
        await runImport(db, lease, { log, signal });
        running -= 1;
      } else if (running > 0) await pause(LOOK_EVERY_MS, signal);
      else return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runAll));
}
