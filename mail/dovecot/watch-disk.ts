import { pool } from "#server/db/pool.ts";
import type { DovecotAdmin } from "#server/gateways/dovecot.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { signalSessions } from "./session-socket.ts";
import { isDiskLow } from "./sql-conf.ts";

const CHECK_EVERY_MS = 2_000;

/**
 * Ends the IMAP sessions of Dovecot 2.4 when free disk space falls below the reserve or rises above it again, because whether
 * they may save mail is decided only at sign-in. Reads this from the database, as sign-ins do: each mail process writes it there
 * with its heartbeat.
 *
 * @returns a function that stops watching
 */
export function watchDisk(admin: DovecotAdmin): () => void {
  let wasLow: boolean | null = null;
  const watch = async () => {
    const [row] = await pool().sql.unsafe<{ isLow: boolean }[]>(`select ${isDiskLow} as "isLow"`);
    const { isLow } = row!;
    if (wasLow !== null && isLow !== wasLow) {
      const all = await admin.sessionProcesses();
      await signalSessions(all.filter(({ service }) => service === "imap"));
    }
    wasLow = isLow;
  };
  // Without the database all sign-ins fail, and `watchDatabase` reports it.
  const watching = runLoop(watch, { pauseMs: CHECK_EVERY_MS, ref: false, onError: () => {} });
  return () => void watching.stop();
}
