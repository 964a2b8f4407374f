import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import ipaddr from "ipaddr.js";
import { afterEach, describe, expect, test } from "vitest";

import { exchange, openSocket, send } from "#server/testing/http-client.ts";
import { PLAIN_HTTP, saying } from "#server/testing/plain-http.ts";

import { createWebServer } from "./create-web-server.ts";
import type { Handler } from "./exchange.ts";

const PATIENCE = { request: 300, headers: 300, idle: 300, keepAlive: 300 };

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const echo: Handler = async ({ request, response, address, requestId }) => {
  const body = await text(request);
  const { url, method } = request;
  response.end(JSON.stringify({ url, method, address, requestId, bodyLength: body.length }));
};

/** Starts a server whose API and pages echo the request by default. */
async function serving(
  { trustedProxies = "", api = echo, pages = echo } = {},
  patience?: typeof PATIENCE,
): Promise<number> {
  const cidrs = trustedProxies ? [ipaddr.parseCIDR(trustedProxies)] : [];
  server = createWebServer({ ...PLAIN_HTTP, trustedProxies: cidrs }, { api, pages }, patience);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

type Seen = Record<"url" | "method" | "address" | "requestId", string> & { bodyLength: number };
const seen = ({ text }: { text: string }) => JSON.parse(text) as Seen;

describe("paths", () => {
  test.each([
    ["//emails/", "/emails"],
    ["/emails///x//events/?limit=1", "/emails/x/events?limit=1"],
    ["/emails?after=//", "/emails?after=//"],
    ["//", "/"],
    ["///?a=b", "/?a=b"],
    ["//evil.example/emails", "/evil.example/emails"],
    ["http://any.example:3000/emails//x?a=b", "/emails/x?a=b"],
    ["http://any.example", "/"],
  ])("%s arrives as %s", async (path, arrived) => {
    expect(seen(await send(await serving(), "GET", path)).url).toBe(arrived);
  });
});

describe("the caller's address", () => {
  test.each([
    ["is the socket's, whatever the client sends", "", "192.0.2.1", "127.0.0.1"],
    ["is the one that a trusted proxy sends", "127.0.0.0/8", "192.0.2.1", "192.0.2.1"],
    [
      "is the last one before trusted proxies",
      "127.0.0.0/8",
      "1.1.1.1, 192.0.2.1, 127.0.0.9",
      "192.0.2.1",
    ],
    ["is the proxy's own if it sends no valid address", "127.0.0.0/8", "x", "127.0.0.1"],
    ["is IPv4 when it was mapped into IPv6", "127.0.0.0/8", "::ffff:192.0.2.1", "192.0.2.1"],
  ])("%s", async (_, trustedProxies, forwarded, address) => {
    const port = await serving({ trustedProxies });
    const answer = await send(port, "GET", "/", { headers: { "x-forwarded-for": forwarded } });
    expect(seen(answer).address).toBe(address);
  });
});

test("sets a request ID on each request and response, ignoring a client's own", async () => {
  const port = await serving();

  const answers = await Promise.all(
    [1, 2].map(() => send(port, "GET", "/x", { headers: { "x-request-id": "mine" } })),
  );

  const ids = answers.map(({ headers }) => headers["x-request-id"]);
  expect(ids).toEqual(answers.map((answer) => seen(answer).requestId));
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain("mine");
});

test.each([
  ["/console", "pages"],
  ["/console/emails?x=/console/api", "pages"],
  ["/console/apis", "pages"],
  ["/account/password", "pages"],
  ["/_next/static/x.js", "pages"],
  ["/", "api"],
  ["/emails/console", "api"],
  ["/consoles", "api"],
  ["/console/api", "api"],
  ["//console//api//me?x", "api"],
  ["/console/api?x=y", "api"],
])("routes %s to the %s", async (path, destination) => {
  const port = await serving({ api: saying("api"), pages: saying("pages") });
  expect((await send(port, "GET", path)).text).toBe(destination);
});

test("routes a tracked link to neither", async () => {
  const answer = await send(await serving(), "GET", "//t//c/nothing");
  expect(answer.status).toBe(404);
  expect(answer.headers["content-type"]).toContain("text/html");
});

test.each(["PROPFIND", "TRACE", "MKCOL", "SEARCH"])(
  "%s arrives at the pages as OPTIONS and at the API unchanged",
  async (method) => {
    const port = await serving();
    expect(seen(await send(port, method, "/console")).method).toBe("OPTIONS");
    expect(seen(await send(port, method, "/emails")).method).toBe(method);
  },
);

test.each(["/console/%", "/_next/%ff%fe"])("%s is not a page", async (path) => {
  const answer = await send(await serving(), "GET", path);
  expect(answer.status).toBe(404);
  expect(JSON.parse(answer.text)).toMatchObject({ name: "not_found" });
});

test("answers a request to upgrade the protocol as if it were not one", async () => {
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  expect(await send(await serving(), "GET", "/x", { headers })).toMatchObject({ status: 200 });
});

describe("a body over 30 MB", () => {
  test("is rejected by its Content-Length before it is sent, without a response body", async () => {
    const answer = await exchange(
      await serving(),
      "POST /emails HTTP/1.1\r\nHost: x\r\nContent-Length: 31457281\r\n\r\n{",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/content-length: 0\r\n/i);
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  test("is rejected even if the client sends all of it before reading", async () => {
    const body = Buffer.alloc(31_457_281, "x");
    expect(await send(await serving(), "POST", "/emails", { body })).toMatchObject({
      status: 413,
      text: "",
    });
  });

  test("of exactly 30 MB is accepted", async () => {
    const body = Buffer.alloc(31_457_280, "x");
    expect(seen(await send(await serving(), "POST", "/", { body })).bodyLength).toBe(31_457_280);
  });
});

test.each(["/x", "/console"])(
  "an exception at %s is a plain 500, and the next request is served",
  async (path) => {
    let calls = 0;
    const failing: Handler = (exchange) =>
      calls++ === 0 ? Promise.reject(new Error("secret")) : echo(exchange);
    const port = await serving({ api: failing, pages: failing });

    const answer = await send(port, "GET", path);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toMatchObject({ statusCode: 500, name: "application_error" });
    expect(answer.text).not.toContain("secret");
    expect(await send(port, "GET", path)).toMatchObject({ status: 200 });
  },
);

describe("a slow client", () => {
  test.each([
    ["that never ends its headers", "GET / HTTP/1.1\r\nHost: x\r\n"],
    ["that never ends its body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"],
    ["that sends nothing", ""],
    ["that sends no further request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("%s is closed", async (_, bytes) => {
    const port = await serving({}, PATIENCE);

    await exchange(port, bytes);
  });

  test("that sends its body byte by byte is closed, even if it is never idle", async () => {
    const port = await serving({}, { ...PATIENCE, idle: 60_000 });
    const socket = await openSocket(port);
    // A connection reset counts as closed.
    const closed = new Promise((resolve) => socket.on("error", resolve).on("close", resolve));
    socket.resume().write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    const drip = setInterval(() => socket.write("x"), 20);

    await closed;
    clearInterval(drip);
  });
});

describe("rejects requests that two servers could parse differently:", () => {
  const head = "POST /emails HTTP/1.1\r\nHost: x\r\n";
  test.each([
    [
      "length and chunks",
      `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["two lengths", `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`],
    ["a length with a sign", `${head}Content-Length: +5\r\n\r\n12345`],
    ["an unknown coding", `${head}Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n`],
    ["a space before the colon", `${head}Content-Length : 5\r\n\r\n12345`],
    ["a bare line feed", "GET / HTTP/1.1\nHost: x\n\n"],
    ["a folded header", `${head}X-A: b\r\n c\r\nTransfer-Encoding:\r\n chunked\r\n\r\n`],
    ["no host", "GET / HTTP/1.1\r\n\r\n"],
    ["no HTTP", "HELO example.org\r\n"],
  ])("%s", async (_, bytes) => {
    const answer = await exchange(await serving({}, PATIENCE), bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});
