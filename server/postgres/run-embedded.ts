import type { Exit, StartRun } from "#server/processes/run.ts";

import { startEmbeddedPostgres } from "./embedded-postgres.ts";

/**
 * The embedded server for the supervisor. Restarts on the same port, since other processes keep their connection string.
 *
 * @param settings additional server parameters
 * @param onUrl called with the connection string at each start
 */
export function embeddedPostgresRun({
  folder,
  settings,
  onLine,
  onUrl,
}: {
  folder: string;
  settings?: Record<string, string>;
  onLine: (line: string) => void;
  onUrl: (url: string) => void;
}): StartRun {
  let port: number | undefined;
  return async (signal) => {
    const lastLines: string[] = [];
    const server = await startEmbeddedPostgres({
      folder,
      port,
      ...(settings && { settings }),
      onLine: (line) => {
        lastLines.push(line);
        if (lastLines.length > 5) lastLines.shift();
        onLine(line);
      },
    });
    port = Number(new URL(server.url).port);
    onUrl(server.url);
    const exited = new Promise<Exit>((resolve) => {
      server.process.once("exit", (code, exitSignal) =>
        resolve({ code, signal: exitSignal, lastLines }),
      );
    });
    const stop = () => void server.stop();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    return { pid: server.process.pid!, exited };
  };
}
