import type { IncomingMessage, ServerResponse } from "node:http";

import { createLogger } from "#server/processes/logger.ts";

const logger = createLogger("web");

type Content = {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
};

/** Writes what `work` makes; 503 when it fails: whoever asked may come again. */
export function answerClient(
  request: IncomingMessage,
  response: ServerResponse,
  work: () => Promise<Content>,
): void {
  work()
    .catch((error: unknown) => {
      logger.error({ err: error }, "settings of mail apps not told");
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

/** False, with the answer given, for a method that is none of these. */
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

/** The query of a request, its names in lower case: apps differ in them. */
export function queryOf({ url = "/" }: IncomingMessage): Map<string, string> {
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  return new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
}
