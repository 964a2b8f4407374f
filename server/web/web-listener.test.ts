import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls, type TLSSocket } from "node:tls";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { exchange, openSocket, send } from "#server/testing/http-client.ts";
import { proxyHeaderV2 } from "#server/testing/proxy-header.ts";
import { PLAIN_HTTP } from "#server/testing/plain-http.ts";
import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

import { readConfig } from "#server/config.ts";

import { createAlpnServer } from "./acme-challenge.ts";
import { createTlsWebServer, createWebServer, type Patience } from "./create-web-server.ts";
import type { Handler } from "./exchange.ts";
import { createWebListener, type WebListener } from "./web-listener.ts";

const PATIENCE: Patience = { request: 400, headers: 300, idle: 2_000, keepAlive: 2_000 };

const PROXY = "127.0.0.2";
const HEADER = "PROXY TCP6 2001:db8::7 2001:db8::1 40000 443\r\n";

const echo: Handler = async ({ request, response, address }) => {
  const body = await text(request);
  response.end(JSON.stringify({ url: request.url, length: body.length, address }));
};

let listener: WebListener;
beforeEach(async () => {
  const destinations = { api: echo, pages: echo };
  const pair = { certificate: CERTIFICATE, key: PRIVATE_KEY };
  const http = createWebServer(PLAIN_HTTP, destinations, PATIENCE);
  const https = createTlsWebServer(PLAIN_HTTP, destinations, pair, PATIENCE);
  const { proxyProtocol: proxies } = readConfig({ POSTHOUSE_PROXY_PROTOCOL: PROXY });
  listener = createWebListener(
    { http, https, alpn: createAlpnServer() },
    { firstByteMs: 300, proxies },
  );
  await listener.listen([0], "127.0.0.1");
});
afterEach(async () => {
  const closed = listener.close();
  listener.closeAllConnections();
  await closed;
});

async function sendOverTls(path: string, body: string) {
  const options = { port: listener.port(), host: "localhost", ca: CERTIFICATE, agent: false, path };
  const sent = httpsRequest({ ...options, method: "POST" });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { headers: response.headers, text: await text(response) };
}

const big = "x".repeat(3_000_000);

test.each(["", "Hello", big])("serves HTTP and HTTPS on the same port", async (body) => {
  const expected = JSON.stringify({ url: "/a", length: body.length, address: "127.0.0.1" });
  const plain = await send(listener.port(), "POST", "/a", { body });
  expect(plain.text).toBe(expected);
  const overTls = await sendOverTls("/a", body);
  expect(overTls.text).toBe(expected);
  expect(overTls.headers["x-frame-options"]).toBe("DENY");
});

test("reads a request that arrives byte by byte", async () => {
  const socket = await openSocket(listener.port());
  const answer = text(socket);
  for (const byte of "GET /slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n") {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await answer).toContain(`"url":"/slow"`);
});

test("keeps connections open for further requests", async () => {
  const socket = await openSocket(listener.port());
  const ask = "GET /a HTTP/1.1\r\nhost: a\r\n\r\n";
  for (let i = 0; i < 3; i++) {
    socket.write(ask);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
  }
  socket.destroy();
});

test("closes the connection of a silent client", async () => {
  expect(await exchange(listener.port())).toBe("");
});

test("closes connections with slow headers, over TLS too", async () => {
  expect(await exchange(listener.port(), "GET / HT")).toMatch(/^HTTP\/1.1 408/);
  const socket: TLSSocket = connectTls({
    port: listener.port(),
    host: "localhost",
    ca: CERTIFICATE,
  });
  await once(socket, "secureConnect");
  socket.write("GET / HT");
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408/);
});

test("closes despite a handshake in progress", async () => {
  const patience = { request: 60_000, headers: 60_000, idle: 60_000, keepAlive: 60_000 };
  const pair = { certificate: CERTIFICATE, key: PRIVATE_KEY };
  const destinations = { api: echo, pages: echo };
  const http = createWebServer(PLAIN_HTTP, destinations, patience);
  const https = createTlsWebServer(PLAIN_HTTP, destinations, pair, patience);
  const patient = createWebListener(
    { http, https, alpn: createAlpnServer() },
    { firstByteMs: 60_000 },
  );
  await patient.listen([0], "127.0.0.1");
  const begun = once(https, "connection");
  const socket = await openSocket(patient.port());
  // A whole record with the first bytes of a ClientHello.
  const started = Uint8Array.of(0x16, 0x03, 0x01, 0x00, 0x04, 0x01, 0x00, 0x01, 0x00);
  socket.on("error", () => {}).write(started);
  await begun;
  const closed = patient.close();
  patient.closeAllConnections();
  await closed;
});

test.each([
  ["no more than two bytes", Uint8Array.of(0x16, 0x03)],
  ["a part of a message", Uint8Array.of(0x16, 0x03, 0x01, 0x00, 0x04, 0x01, 0x00, 0x01, 0x00)],
])("closes a connection whose handshake never ends, after %s", async (_name, bytes) => {
  await exchange(listener.port(), bytes);
});

async function throughProxy(
  header: string | Buffer,
  { tls = false, path = "/a" } = {},
): Promise<string> {
  const raw = connect({ port: listener.port(), host: "127.0.0.1", localAddress: PROXY });
  // The header and what follows may come in any number of segments.
  for (const part of [header.slice(0, 9), header.slice(9)]) {
    raw.write(part);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const socket = tls ? connectTls({ socket: raw, host: "localhost", ca: CERTIFICATE }) : raw;
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
  return text(socket);
}

test.each([false, true])(
  "takes the client's address from a proxy's header, TLS: %s",
  async (tls) => {
    expect(await throughProxy(HEADER, { tls })).toContain(`"address":"2001:db8::7"`);
    expect(await throughProxy("PROXY UNKNOWN\r\n", { tls })).toContain(`"address":"${PROXY}"`);
    expect(await throughProxy(proxyHeaderV2(), { tls })).toContain(`"address":"198.51.100.7"`);
  },
);

test("a client behind a proxy on this machine has no access to metrics", async () => {
  expect(await throughProxy(HEADER, { path: "/metrics" })).toMatch(/^HTTP\/1.1 401/);
});

test.each([
  ["none", ""],
  ["of another family", "PROXY TCP4 2001:db8::7 2001:db8::1 40000 443\r\n"],
  ["without an end", `PROXY TCP6 ${"2001:db8::7 ".repeat(20)}`],
])("closes a proxy's connection with a bad header: %s", async (_name, header) => {
  expect(await throughProxy(header).catch(() => "")).toBe("");
});

test.each([HEADER, proxyHeaderV2()])(
  "a client that isn't a proxy can't choose an address",
  async (header) => {
    expect(await exchange(listener.port(), header)).toMatch(/^HTTP\/1.1 400/);
  },
);

describe("a network has a limited number of connections", () => {
  const limited = async (trustedProxies = "") => {
    const settings = readConfig({
      POSTHOUSE_PROXY_PROTOCOL: PROXY,
      ...(trustedProxies && { POSTHOUSE_TRUSTED_PROXIES: trustedProxies }),
    });
    const http = createWebServer(PLAIN_HTTP, { api: echo, pages: echo }, PATIENCE);
    const https = createTlsWebServer(
      PLAIN_HTTP,
      { api: echo, pages: echo },
      { certificate: CERTIFICATE, key: PRIVATE_KEY },
      PATIENCE,
    );
    const made = createWebListener(
      { http, https, alpn: createAlpnServer() },
      {
        firstByteMs: 2_000,
        perNetworkMax: 2,
        proxies: settings.proxyProtocol,
        trustedProxies: settings.trustedProxies,
      },
    );
    await made.listen([0], "127.0.0.1");
    return made;
  };

  /** Opens connections one by one and returns which of them get a response. The others stay open. */
  async function answersTo(port: number, localAddress: string, headers: string[]) {
    const sockets: Socket[] = [];
    const answers: boolean[] = [];
    for (const header of headers) {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      sockets.push(socket);
      socket.on("error", () => {});
      socket.write(`${header}GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      answers.push(
        await Promise.race([
          once(socket, "data").then(() => true),
          once(socket, "close").then(() => false),
        ]),
      );
    }
    return { answers, close: () => sockets.forEach((socket) => socket.destroy()) };
  }

  const from = (address: string) =>
    `PROXY ${address.includes(":") ? "TCP6" : "TCP4"} ${address} ${address.includes(":") ? "::1" : "127.0.0.1"} 40000 443\r\n`;

  test.each([
    [
      "an IPv4 address",
      ["203.0.113.9", "203.0.113.9", "203.0.113.9", "203.0.113.8"],
      [true, true, false, true],
    ],
    [
      "an IPv6 /64",
      ["2001:db8::1", "2001:db8::2:1", "2001:db8::ffff:3", "2001:db8:0:1::1"],
      [true, true, false, true],
    ],
    [
      "an IPv4 address in either notation",
      ["203.0.113.9", "::ffff:203.0.113.9", "203.0.113.9"],
      [true, true, false],
    ],
    ["a trusted proxy", ["198.51.100.1", "198.51.100.1", "198.51.100.1"], [true, true, true]],
    ["loopback", ["127.0.0.1", "127.0.0.1", "::1", "::1", "::1"], [true, true, true, true, true]],
  ])("%s", async (_, addresses, expected) => {
    const limitedListener = await limited("198.51.100.0/24");
    const opened = await answersTo(limitedListener.port(), PROXY, addresses.map(from));
    expect(opened.answers).toEqual(expected);
    opened.close();
    // Closed connections no longer count.
    await vi.waitFor(async () => {
      const again = await answersTo(limitedListener.port(), PROXY, [from(addresses[0]!)]);
      again.close();
      expect(again.answers).toEqual([true]);
    });
    const closed = limitedListener.close();
    limitedListener.closeAllConnections();
    await closed;
  });

  test("connections without PROXY headers from this machine", async () => {
    const limitedListener = await limited();
    const opened = await answersTo(limitedListener.port(), "127.0.0.9", ["", "", "", ""]);
    expect(opened.answers).toEqual([true, true, true, true]);
    opened.close();
    const closed = limitedListener.close();
    limitedListener.closeAllConnections();
    await closed;
  });
});
