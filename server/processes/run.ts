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

/** Of a process's last lines the one that says most about its end: its last error, else its last line of text. */
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

/** The message of a warning or worse of pino's, or the line where it is text; null for what is no complaint. */
function complaintIn(line: string): string | null {
  try {
    const { level, msg, err } = JSON.parse(line) as Record<string, unknown>;
    if (typeof level !== "number" || level < WARN) return null;
    const reason = typeof err === "object" && err !== null && "message" in err ? err.message : "";
    return [msg, reason].filter((part) => typeof part === "string" && part !== "").join(": ");
  } catch {
    // Not a line of pino's: taken as it is.
    return line;
  }
}
