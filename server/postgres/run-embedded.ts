import { setTimeout } from "node:timers/promises";

import type { Exit, StartRun } from "#server/processes/supervise.ts";

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

const PATIENCE_MS = 5_000;

/** Temporary: refused, or still starting (57P03). */
const PASSING = ["ECONNREFUSED", "57P03"];

/**
 * Waits a few seconds for an external database.
 *
 * @returns its version and host, such as "PostgreSQL 18.4 at db.example.com"
 * @throws Error with the reason, without the password
 */
export async function reachDatabase(url: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return `PostgreSQL ${await askVersion(url)} at ${new URL(url).host}`;
    } catch (error) {
      if (!PASSING.includes(codeOf(error)) || performance.now() > deadline)
        throw new Error(`DATABASE_URL: ${explain(url, error)}`, { cause: error });
    }
    await setTimeout(250);
  }
}

async function askVersion(url: string): Promise<string> {
  const { default: connect } = await import("postgres");
  const sql = connect(url, { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    const [row] = await sql<[{ server_version: string }]>`show server_version`;
    return row.server_version.split(" ")[0]!;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

function explain(url: string, error: unknown): string {
  const { host, hostname, username, pathname } = new URL(url);
  const reasons: Record<string, string> = {
    ECONNREFUSED: `connection refused by ${host}`,
    CONNECT_TIMEOUT: `connection to ${host} timed out`,
    ENOTFOUND: `unknown host ${hostname}`,
    EAI_AGAIN: `DNS lookup of ${hostname} failed`,
    "28P01": `${host} rejects the password of user "${username}"`,
    "28000": `${host} does not allow user "${username}" to connect`,
    "3D000": `database "${pathname.slice(1)}" does not exist at ${host}`,
    "57P03": `the server at ${host} is still starting`,
  };
  return reasons[codeOf(error)] ?? `${host} cannot be used (${codeOf(error) || "unknown error"})`;
}
