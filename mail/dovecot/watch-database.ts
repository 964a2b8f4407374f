import { setTimeout as wait } from "node:timers/promises";

import { connect } from "#server/db/client.ts";
import { runLoop } from "#server/processes/run-loop.ts";

/**
 * Reports when the database becomes unreachable and reachable again. Dovecot itself reconnects with growing
 * delays (1 s, 5 s, 25 s) and rejects users meanwhile; a reload makes it reconnect at once.
 *
 * Keeps one connection open, whose end also reveals outages that are too short for polling.
 *
 * @returns a function that stops watching
 */
export function watchDatabase(
  url: string,
  {
    everyMs,
    onAway,
    onBack,
  }: { everyMs: number; onAway: (reason: unknown) => void; onBack: () => void },
): () => void {
  let isAway = false;
  const watch = async (signal: AbortSignal) => {
    const reason = await stayConnected(url, signal, () => {
      if (isAway) onBack();
      isAway = false;
    });
    if (signal.aborted) return;
    if (!isAway) onAway(reason);
    isAway = true;
  };
  const watching = runLoop(watch, { pauseMs: everyMs, ref: false });
  return () => void watching.stop();
}

/**
 * Connects and waits for the connection to end.
 *
 * @returns why there is no connection, or why it ended
 */
async function stayConnected(
  url: string,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<unknown> {
  const closed = Promise.withResolvers<null>();
  const end = () => closed.resolve(null);
  const connection = connect(url, { max: 1, onClose: end });
  signal.addEventListener("abort", end, { once: true });
  try {
    await connection.sql`select 1`;
    onConnected();
    await closed.promise;
    return new Error("the connection ended");
  } catch (reason) {
    return reason;
  } finally {
    await connection.close();
  }
}

/** Whether the database accepts a new connection within `withinMs`. */
export async function isDatabaseReachable(url: string, withinMs: number): Promise<boolean> {
  const connection = connect(url, { max: 1 });
  try {
    const answer = connection.sql`select 1`.then(
      () => true,
      () => false,
    );
    return await Promise.race([answer, wait(withinMs, false, { ref: false })]);
  } finally {
    void connection.sql.end({ timeout: 0 });
  }
}
