import { pool } from "#server/db/pool.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { isDiskLow } from "./sql-conf.ts";

/**
 * Reports when free disk space falls below the reserve or is above it again, as sign-ins see it: each mail process writes it to the
 * database with its heartbeat.
 *
 * @returns a function that stops watching
 */
export function watchDisk({
  everyMs,
  onChange,
}: {
  everyMs: number;
  onChange: () => Promise<void>;
}): () => void {
  let wasLow: boolean | null = null;
  const watch = async () => {
    const [row] = await pool().sql.unsafe<{ isLow: boolean }[]>(`select ${isDiskLow} as "isLow"`);
    const { isLow } = row!;
    if (wasLow !== null && isLow !== wasLow) await onChange();
    wasLow = isLow;
  };
  // Without the database all sign-ins fail, and `watchDatabase` reports it.
  const watching = runLoop(watch, { pauseMs: everyMs, ref: false, onError: () => {} });
  return () => void watching.stop();
}
