import type { IncomingMessage, ServerResponse } from "node:http";

import { count, observe } from "#server/core/platform/monitoring/counters.ts";

const MS_PER_SECOND = 1_000;

/** Which part of the web process answers a path. Anything else is the API. */
const PARTS: [part: string, path: RegExp][] = [
  ["health", /^\/(healthz|readyz|metrics)$/],
  ["console_api", /^\/(console|account)\/api(\/|$)/],
  ["pages", /^\/(console|account|_next|docs)(\/|$)/],
  ["tracking", /^\/(t|release)\//],
];

/** Counts the request and its duration once it is answered or the client is gone. */
export function countRequest(request: IncomingMessage, response: ServerResponse): void {
  const startedAt = performance.now();
  const path = (request.url ?? "/").split("?", 1)[0]!;
  const part = PARTS.find(([, pattern]) => pattern.test(path))?.[0] ?? "api";
  response.once("close", () => {
    const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : "cut";
    count("posthouse_http_requests_total", { part, status });
    observe(
      "posthouse_http_request_seconds",
      { part },
      (performance.now() - startedAt) / MS_PER_SECOND,
    );
  });
}
