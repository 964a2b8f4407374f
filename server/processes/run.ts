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

/** Of a process's last lines the one that says most: its last error, else its last line; pino's JSON as its message. */
export function lastWords(lines: string[]): string | null {
  const texts = lines.map(messageIn).filter((text) => !text.startsWith("Node.js v"));
  return texts.findLast((text) => /^(Uncaught )?\w*Error\b.*:/.test(text)) ?? texts.at(-1) ?? null;
}

function messageIn(line: string): string {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === "string" ? msg : line;
  } catch {
    // Not a line of pino's: taken as it is.
    return line;
  }
}
