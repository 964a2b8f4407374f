import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../.next/static");
const PREFIX = "/_next/static/";

/** What a browser may take, the smallest first, with the ending of the file that is it. */
const ENCODINGS = [
  { coding: "br", ending: ".br" },
  { coding: "gzip", ending: ".gz" },
];
const TYPES: Record<string, string> = {
  js: "application/javascript; charset=UTF-8",
  css: "text/css; charset=UTF-8",
};

/**
 * Answers with the scripts and style sheets that were compressed when the pages were built
 * (`server/cli/bootstrap/compress-static.mjs`); true when the request was for one. What is asked for in
 * another way, or was not compressed, is Next's. Their names change with what is in them, so they are
 * kept for ever.
 */
export async function answerStatic(
  request: IncomingMessage,
  response: ServerResponse,
  folder = FOLDER,
): Promise<boolean> {
  const { pathname: path } = new URL(request.url!, "http://localhost");
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

/** All that is in a folder, as it was at first: a path that leads out of it is not among them. */
function filesOf(folder: string): Set<string> {
  const files = listed.get(folder) ?? new Set(namesIn(folder));
  listed.set(folder, files);
  return files;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    // Without a build there are no pages either.
    return [];
  }
}

/** The content codings that a client takes (RFC 9110 §12.5.3). */
function codingsOf(header: string | string[] | undefined): Set<string> {
  const entries = String(header ?? "").split(",");
  return new Set(
    entries.flatMap((entry) => {
      const [coding, weight] = entry.toLowerCase().split(/;\s*q=/);
      return Number(weight ?? 1) > 0 ? [coding!.trim()] : [];
    }),
  );
}
