import { readFileSync } from "node:fs";
import { join } from "node:path";

import { apiDocument } from "#server/resources/registry.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";

import { referencePage } from "./docs/page.ts";
import type { Exchange, WebReply } from "./exchange.ts";
import { isolatePage } from "./pages.ts";

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
  "": { type: "text/html", make: async () => referencePage(await apiDocument()) },
  "style.css": { type: "text/css", make: () => besideThis("reference.css") },
  "script.js": { type: "text/javascript", make: () => besideThis("script.js") },
};

/** Cached for good: the content doesn't change while the process runs. */
const cache = new PromiseCache<Buffer>({ max: Object.keys(FILES).length });

/** `/docs`: the API reference and its files. */
export async function docs({ response }: Exchange, name: string): Promise<WebReply> {
  const { type, make } = FILES[name]!;
  const body = await cache.get(name, async () => Buffer.from(await make()));
  isolatePage(response);
  return {
    status: 200,
    type,
    body,
    headers: { "content-security-policy": POLICY, "cache-control": "no-cache" },
  };
}
