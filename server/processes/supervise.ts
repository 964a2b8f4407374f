import type { Exit, Run, StartRun } from "./run.ts";

const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 30_000;
/** A process that lived this long had started well: its next restart is quick again. */
const STEADY_MS = 60_000;

export type Supervised = {
  /** Resolves when the process serves for the first time; rejects when the first start fails. */
  started: Promise<void>;
  /** The process that runs now, or null between two lives. */
  pid(): number | null;
  /** Stops the process and restarts it no more. Resolves when it is gone. */
  stop(): Promise<void>;
};

/**
 * Starts a process and keeps it running: when it ends, it is started again after 0.5 s, then 1 s, and
 * so on up to 30 s, while it keeps dying within a minute. The first start is not repeated: when it
 * fails, the settings are wrong rather than the moment.
 *
 * @param onDown told of each end, with the time until the next start
 * @param onUp told when it serves again
 */
export function supervise({
  start,
  onDown,
  onUp,
}: {
  start: StartRun;
  onDown: (exit: Exit, restartInMs: number) => void;
  onUp: () => void;
}): Supervised {
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let current: Run | null = null;
  const first = start(stopping.signal).then((run) => (current = run));
  const ended = first.then(keepRunning, () => {
    // `started` carries the failure to whoever asked for the start.
  });

  async function keepRunning(firstRun: Run): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    let exit = await lifeOf(firstRun);
    while (!isStopping()) {
      if (exit.livedMs > STEADY_MS) delayMs = FIRST_DELAY_MS;
      onDown(exit, delayMs);
      await pause(delayMs, stopping.signal);
      delayMs = Math.min(delayMs * 2, DELAY_MAX_MS);
      if (!isStopping()) exit = await startAgain();
    }
  }

  async function startAgain(): Promise<Exit & { livedMs: number }> {
    try {
      const run = await start(stopping.signal);
      onUp();
      return await lifeOf(run);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { code: null, signal: null, lastLines: [reason], livedMs: 0 };
    }
  }

  async function lifeOf(run: Run): Promise<Exit & { livedMs: number }> {
    current = run;
    const bornAt = performance.now();
    const exit = await run.exited;
    current = null;
    return { ...exit, livedMs: performance.now() - bornAt };
  }

  return {
    started: first.then(() => undefined),
    pid: () => current?.pid ?? null,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Waits, until the signal aborts at the latest. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
}
