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
export function describeExit({ code, signal }: Exit): string {
  return signal ? `signal ${signal}` : `exit code ${String(code)}`;
}

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
