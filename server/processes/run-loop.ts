import { Waiter } from "./pause.ts";

type Options = {
  /** Pause between two runs, unless a run returns its own. */
  pauseMs: number;
  /** Pause before the first run. */
  firstPauseMs?: number;
  /** Called with each error, and how many runs have failed in a row. Without it, errors are unhandled. */
  onError?: (error: unknown, failures: number) => void;
  /** Called when a run succeeds after failures. */
  onRecovered?: () => void;
  /** Pause after a failed run; `pauseMs` by default. */
  retryMs?: (failures: number) => number;
  /** False if the pauses must not keep the process alive. */
  ref?: boolean;
};

export type RunningLoop = {
  /** Resolves once the current run has ended. */
  stop(): Promise<void>;
};

const FIRST_BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 3_000;

/** How long to wait after a number of failed queries in a row. */
export const backoffMs = (failures: number): number =>
  Math.min(BACKOFF_MS_MAX, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10));

/**
 * Repeats `run` until stopped, with a pause after each run. Runs never overlap. Stopping and `wake` cut a pause short; `wake` during
 * a run skips the pause after it.
 *
 * @param run may return the length of the next pause in milliseconds
 */
export function runLoop(
  run: (signal: AbortSignal) => Promise<number> | Promise<void>,
  options: Options,
): RunningLoop & { wake(): void } {
  const stopping = new AbortController();
  const waiter = new Waiter();
  const running = keepRunning(run, { ...options, waiter }, stopping.signal);
  return {
    wake: () => waiter.wake(),
    async stop() {
      stopping.abort();
      waiter.wake();
      await running;
    },
  };
}

async function keepRunning(
  run: (signal: AbortSignal) => Promise<unknown>,
  {
    pauseMs,
    firstPauseMs,
    onError,
    onRecovered,
    retryMs,
    ref,
    waiter,
  }: Options & { waiter: Waiter },
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  const fail = (error: unknown): number => {
    if (!onError) throw error;
    onError(error, ++failures);
    return retryMs?.(failures) ?? pauseMs;
  };
  const succeed = (nextPauseMs: unknown): number => {
    if (failures > 0) onRecovered?.();
    failures = 0;
    return typeof nextPauseMs === "number" ? nextPauseMs : pauseMs;
  };
  if (firstPauseMs) await waiter.wait(firstPauseMs, { ref });
  while (!signal.aborted) {
    const nextPauseMs = await run(signal).then(succeed).catch(fail);
    await waiter.wait(nextPauseMs, { ref });
  }
}
