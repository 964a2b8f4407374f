import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Exchange } from "./exchange.ts";

const FOLDER = join(import.meta.dirname, "../../.next/static");
const PREFIX = "/_next/static/";

/** Content codings and their file extensions, best compression first. */
const ENCODINGS = [
  { coding: "br", ending: ".br" },
  { coding: "gzip", ending: ".gz" },
];
const TYPES: Record<string, string> = {
  js: "application/javascript; charset=UTF-8",
  css: "text/css; charset=UTF-8",
};

/**
 * Serves the scripts and style sheets that were compressed when the pages were built
 * (`server/cli/bootstrap/compress-static.mjs`); Next handles all other requests. File names contain a content
 * hash, so responses may be cached forever. Returns whether it handled the request.
 */
export async function answerStatic(
  { request, response, path }: Exchange,
  folder = FOLDER,
): Promise<boolean> {
  if (!path.startsWith(PREFIX) || !["GET", "HEAD"].includes(request.method!)) return false;
  const name = path.slice(PREFIX.length);
  const type = TYPES[name.split(".").at(-1)!];
  const accepted = codingsOf(request.headers["accept-encoding"]);
  const found = ENCODINGS.find(
    ({ coding, ending }) => accepted.has(coding) && filesOf(folder).has(name + ending),
  );
  if (!type || !found) return false;
  const octets = await readFile(join(folder, name + found.ending));
  response.writeHead(200, {
    "content-type": type,
    "content-encoding": found.coding,
    "content-length": octets.length,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  });
  response.end(octets);
  return true;
}

const listed = new Map<string, Set<string>>();

/** Lists the files of a folder once, so that path traversal finds nothing. */
function filesOf(folder: string): Set<string> {
  const files = listed.get(folder) ?? new Set(namesIn(folder));
  listed.set(folder, files);
  return files;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    // There is no build, so there are no pages either.
    return [];
  }
}

/** Parses the content codings that a client accepts (RFC 9110 §12.5.3). */
function codingsOf(header: string | string[] | undefined): Set<string> {
  const entries = String(header ?? "").split(",");
  return new Set(
    entries.flatMap((entry) => {
      const [coding, weight] = entry.toLowerCase().split(/;\s*q=/);
      return Number(weight ?? 1) > 0 ? [coding!.trim()] : [];
    }),
  );
}
