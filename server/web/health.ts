import type { IncomingMessage, ServerResponse } from "node:http";

import { setTimeout as sleep } from "node:timers/promises";

import { pool } from "#server/db/pool.ts";

/** Whoever asks whether we are ready wants to know now. */
const DATABASE_TIMEOUT_MS = 2_000;

/** Answers `/healthz` (the process serves) and `/readyz` (it reaches the database too); true when it did. */
export function answerHealth(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url === "/healthz") {
    write(response, 200, "ok");
    return true;
  }
  if (request.url === "/readyz") {
    const tooLate = sleep(DATABASE_TIMEOUT_MS, null, { ref: false }).then(() => {
      throw new Error("The database did not answer in time");
    });
    Promise.race([pool().sql`select 1`, tooLate]).then(
      () => write(response, 200, "ok"),
      () => write(response, 503, "database unreachable"),
    );
    return true;
  }
  return false;
}

function write(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { "content-type": "text/plain", "cache-control": "no-store" })
    .end(`${text}\n`);
}
