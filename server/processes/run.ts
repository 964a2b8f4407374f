/** How a process ended, and the last things it said. */
export type Exit = {
  code: number | null;
  signal: NodeJS.Signals | null;
  lastLines: string[];
};

/** One life of a process: it serves until it has exited. */
export type Run = { pid: number; exited: Promise<Exit> };

/**
 * Starts a process and resolves once it serves. When `signal` aborts, before or after, the process is
 * stopped; `exited` tells when it is gone.
 */
export type StartRun = (signal: AbortSignal) => Promise<Run>;

/** "exit code 1", "signal SIGKILL" */
export function describeExit({ code, signal }: Exit): string {
  return signal ? `signal ${signal}` : `exit code ${String(code)}`;
}
