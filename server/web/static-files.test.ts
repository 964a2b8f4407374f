import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { send } from "#server/testing/http-client.ts";

import type { Exchange } from "./exchange.ts";
import { answerStatic } from "./static-files.ts";

let root: string;
let server: Server;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "posthouse-static-"));
  const folder = join(root, "static");
  mkdirSync(join(folder, "chunks"), { recursive: true });
  writeFileSync(join(folder, "chunks/page.js"), "plain");
  writeFileSync(join(folder, "chunks/page.js.br"), "as brotli");
  writeFileSync(join(folder, "chunks/page.js.gz"), "as gzip");
  writeFileSync(join(folder, "chunks/late.js"), "plain");
  writeFileSync(join(folder, "style.css.gz"), "as gzip");
  writeFileSync(join(folder, "note.txt.br"), "as brotli");
  writeFileSync(join(root, "secret.js.br"), "secret");
  server = createServer((request, response) => {
    const path = request.url!.split("?", 1)[0]!;
    void answerStatic({ request, response, path } as Exchange, folder).then(
      (isDone) => isDone || response.end("by another"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

const PAGE = "/_next/static/chunks/page.js";
const ask = (path: string, accepted = "gzip, deflate, br, zstd", method = "GET") =>
  send((server.address() as AddressInfo).port, method, path, {
    headers: { "accept-encoding": accepted },
  });

test.each([
  [PAGE, "gzip, deflate, br, zstd", "br", "as brotli"],
  [`${PAGE}?dpl=1`, "br", "br", "as brotli"],
  [PAGE, "gzip, deflate", "gzip", "as gzip"],
  [PAGE, "br;q=0, GZIP;q=0.5", "gzip", "as gzip"],
  ["/_next/static/style.css", "br, gzip", "gzip", "as gzip"],
])(
  "serves %s to a client that accepts %s with the coding %s",
  async (path, accepted, coding, text) => {
    expect(await ask(path, accepted)).toMatchObject({
      text,
      headers: {
        "content-encoding": coding,
        "content-length": String(text.length),
        "content-type": path.endsWith(".css")
          ? "text/css; charset=UTF-8"
          : "application/javascript; charset=UTF-8",
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      },
    });
  },
);

test("answers HEAD without a body", async () => {
  const { text, headers } = await ask(PAGE, "br", "HEAD");
  expect([text, headers["content-length"]]).toEqual(["", "9"]);
});

test.each([
  ["that accepts only identity", PAGE, "identity", "GET"],
  ["that accepts no coding", PAGE, "", "GET"],
  ["for a file that wasn't compressed", "/_next/static/chunks/late.js", "br", "GET"],
  ["for a missing file", "/_next/static/chunks/none.js", "br", "GET"],
  ["for a file that is neither a script nor a style sheet", "/_next/static/note.txt", "br", "GET"],
  ["for the compressed file itself", `${PAGE}.br`, "br", "GET"],
  ["for a file outside the folder", "/_next/static/../secret.js", "br", "GET"],
  ["for a file outside the folder, percent-encoded", "/_next/static/%2e%2e/secret.js", "br", "GET"],
  ["for another path", "/console/page.js", "br", "GET"],
  ["with POST", PAGE, "br", "POST"],
])("leaves a request %s to Next", async (_, path, accepted, method) => {
  const { text, headers } = await ask(path, accepted, method);
  expect([text, headers["content-encoding"]]).toEqual(["by another", undefined]);
});
