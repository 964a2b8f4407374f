import type { IncomingMessage, ServerResponse } from "node:http";

import { pool } from "#server/db/pool.ts";

/** Answers `/healthz` (the process serves) and `/readyz` (it reaches the database too); true when it did. */
export function answerHealth(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url === "/healthz") {
    write(response, 200, "ok");
    return true;
  }
  if (request.url === "/readyz") {
    pool().sql`select 1`.then(
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
