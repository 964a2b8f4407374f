const DAY_MS = 86_400_000;
/** More than a test takes. */
const ROOM_MS = 30_000;

/** Waits for the next day (UTC) if this one is about to end, so that a test of daily or monthly counters stays within one. */
export async function waitOutMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < ROOM_MS) await new Promise((resolve) => setTimeout(resolve, left));
}
