import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import { apiDocument } from "#server/api/api-document.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import { createLogger } from "#server/processes/logger.ts";

import { isolatePage } from "./content-security-policy.ts";
import { referencePage } from "./docs/page.ts";

const logger = createLogger("docs");

/** Only this server's files, nothing inline. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const besideThis = (name: string) => readFileSync(join(import.meta.dirname, "docs", name), "utf8");

type File = { type: string; make: () => string | Promise<string> };

const FILES: Record<string, File> = {
  "/docs": { type: "text/html", make: async () => referencePage(await apiDocument()) },
  "/docs/style.css": { type: "text/css", make: () => besideThis("reference.css") },
  "/docs/script.js": { type: "text/javascript", make: () => besideThis("script.js") },
};

/** Cached for good: the content doesn't change while the process runs. */
const cache = new PromiseCache<Buffer>({ max: Object.keys(FILES).length });

/** Serves the API reference and its files. Returns whether it handled the request. */
export function answerDocs(request: IncomingMessage, response: ServerResponse): boolean {
  const path = request.url!.split("?", 1)[0]!;
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (!file) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { allow: "GET, HEAD", "content-length": 0 }).end();
    return true;
  }
  answer(path, file, response).catch((error: unknown) => {
    logger.error({ err: error }, "request failed");
    response.destroy();
  });
  return true;
}

async function answer(path: string, { type, make }: File, response: ServerResponse): Promise<void> {
  const content = await cache.get(path, async () => Buffer.from(await make()));
  isolatePage(response);
  response
    .writeHead(200, {
      "content-type": `${type}; charset=utf-8`,
      "content-length": content.length,
      "content-security-policy": POLICY,
      "cache-control": "no-cache",
    })
    .end(content);
}
