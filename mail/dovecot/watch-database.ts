import { connect } from "#server/db/client.ts";

/**
 * Tells when the database can no longer be reached, and when it is back. Dovecot itself asks again
 * after 1 s, 5 s, 25 s and so on, ever later, and turns users down meanwhile; a reload makes it ask at
 * once.
 *
 * @returns ends the watch
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
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const failure = await ask(url);
    if (isOver) return;
    if (failure && !isAway) onAway(failure.reason);
    if (!failure && isAway) onBack();
    isAway = failure !== null;
    lookLater();
  };
  const lookLater = () => {
    timer = setTimeout(() => void look(), everyMs);
    timer.unref();
  };
  lookLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** A connection of its own each time, as a pool waits longer and longer between its attempts too. */
async function ask(url: string): Promise<{ reason: unknown } | null> {
  const connection = connect(url, { max: 1 });
  try {
    await connection.sql`select 1`;
    return null;
  } catch (reason) {
    return { reason };
  } finally {
    await connection.close();
  }
}
