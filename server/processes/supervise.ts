import { pause } from "./pause.ts";

const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 30_000;

/** A process that ran this long is considered stable: the restart delay is reset. */
const STEADY_MS = 60_000;

export type Supervised = {
  /** Resolves when the process is ready for the first time; rejects when the first start fails. */
  started: Promise<void>;
  /** The PID of the current process, or null between restarts. */
  pid(): number | null;
  /** Stops the process for good. Resolves when it has exited. */
  stop(): Promise<void>;
};

/**
 * Keeps a process running: restarts it after 0.5 s, with exponential backoff up to 30 s while it exits within a minute. A failed
 * first start is not retried, since the configuration is probably wrong.
 *
 * @param onDown called at each exit, with the delay before the restart
 * @param onUp called when it is ready again
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
    // Reported by `started`.
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

/** How a process ended, with its last lines of output. */
export type Exit = {
  code: number | null;
  signal: NodeJS.Signals | null;
  lastLines: string[];
};

/** A running process. */
export type Run = { pid: number; exited: Promise<Exit> };

/** Starts a process and resolves once it is ready. Aborting `signal` stops it at any time; `exited` resolves when it is gone. */
export type StartRun = (signal: AbortSignal) => Promise<Run>;

/** "exit code 1", "signal SIGKILL" */
export const describeExit = ({ code, signal }: Exit): string =>
  signal ? `signal ${signal}` : `exit code ${String(code)}`;

/** The line that best explains why a process ended: its last error, otherwise its last line of text. */
export function lastWords(lines: string[]): string | null {
  const texts = lines
    .map(complaintIn)
    .filter((text) => text !== null && !text.startsWith("Node.js v"));
  return (
    texts.findLast((text) => text && /^(Uncaught )?\w*Error\b.*:/.test(text)) ??
    texts.at(-1) ??
    null
  );
}

const WARN = 40;

/** The message of a pino line of level `warn` or higher, or the line itself if it is not JSON; null for other pino lines. */
function complaintIn(line: string): string | null {
  try {
    const { level, msg, err } = JSON.parse(line) as Record<string, unknown>;
    if (typeof level !== "number" || level < WARN) return null;
    const reason = typeof err === "object" && err !== null && "message" in err ? err.message : "";
    return [msg, reason].filter((part) => typeof part === "string" && part !== "").join(": ");
  } catch {
    // Not JSON.
    return line;
  }
}
