import type { IncomingMessage, ServerResponse } from "node:http";

import { setTimeout as sleep } from "node:timers/promises";

import { config } from "#server/config.ts";
import { findUnresponsiveComponents } from "#server/core/platform/processes/find-unresponsive-components.ts";
import { pool } from "#server/db/pool.ts";

/** Short, since health checks have timeouts of their own. */
const DATABASE_TIMEOUT_MS = 2_000;

/**
 * Answers `/healthz` (this process is up) and `/readyz` (the database is reachable, and all other processes of
 * this machine's roles respond). Returns whether it handled the request.
 */
export function answerHealth(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url === "/healthz") {
    write(response, 200, "ok");
    return true;
  }
  if (request.url === "/readyz") {
    const tooLate = sleep(DATABASE_TIMEOUT_MS, null, { ref: false }).then(() => {
      throw new Error("The database did not answer in time");
    });
    Promise.race([findUnresponsiveComponents(pool().db, othersHere()), tooLate]).then(
      (silent) => write(response, ...readiness(silent)),
      () => write(response, 503, "database unreachable"),
    );
    return true;
  }
  return false;
}

/** This process is responding, so its own heartbeat doesn't matter. */
const othersHere = () => config().roles.difference(new Set(["web"]));

const readiness = (silent: string[]): [number, string] =>
  silent.length === 0
    ? [200, "ok"]
    : [503, silent.map((part) => `${part} does not respond`).join("\n")];

function write(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { "content-type": "text/plain", "cache-control": "no-store" })
    .end(`${text}\n`);
}
