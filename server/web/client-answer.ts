import type { IncomingMessage, ServerResponse } from "node:http";

import { createLogger } from "#server/processes/logger.ts";

const logger = createLogger("web");

type Content = {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
};

/**
 * Sends the result of `work`; if it fails, sends 503 so that the client retries.
 *
 * @param what it serves, for the log
 */
export function answerClient(
  request: IncomingMessage,
  response: ServerResponse,
  what: string,
  work: () => Promise<Content>,
): void {
  work()
    .catch((error: unknown) => {
      logger.error({ err: error }, `failed to serve ${what}`);
      return { status: 503, type: "text/plain", body: "Try again later\n" } satisfies Content;
    })
    .then(({ status, type, body, headers }: Content) => {
      response
        .writeHead(status, {
          "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
          "content-length": Buffer.byteLength(body),
          "cache-control": "no-store",
          ...headers,
        })
        .end(request.method === "HEAD" ? undefined : body);
      request.resume();
    })
    .catch(() => response.destroy());
}

/** Whether the request's method is one of these; if not, answers 405. */
export function takesMethod(
  request: IncomingMessage,
  response: ServerResponse,
  methods: string[],
): boolean {
  if (methods.includes(request.method!)) return true;
  response.writeHead(405, { allow: methods.join(", "), "content-length": 0 }).end();
  request.resume();
  return false;
}

/** Parses the query, with names in lower case: mail apps spell them differently. */
export function queryOf({ url = "/" }: IncomingMessage): Map<string, string> {
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  return new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
}
