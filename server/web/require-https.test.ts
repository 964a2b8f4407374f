import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";

import { afterEach, expect, test } from "vitest";

import { readConfig } from "#server/config.ts";
import { send } from "#server/testing/http-client.ts";
import { saying } from "#server/testing/plain-http.ts";
import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

import { createAlpnServer } from "./acme-challenge.ts";
import { createTlsWebServer, createWebServer } from "./create-web-server.ts";
import { judgeTransport } from "./require-https.ts";
import { createWebListener, type WebListener } from "./web-listener.ts";

const HOST = "mail.example.test";
const FORWARDED = { "x-forwarded-proto": "http" };

const listeners: WebListener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) {
    const closed = listener.close();
    listener.closeAllConnections();
    await closed;
  }
});

async function start(env: Record<string, string> = {}, { isTrusted = true } = {}) {
  const policy = {
    ...readConfig({ POSTHOUSE_HOSTNAME: HOST, ...env }),
    isCertificateTrusted: () => isTrusted,
    isTrackingHost: () => false,
  };
  const destinations = { api: saying("served"), pages: saying("served") };
  const pair = { certificate: CERTIFICATE, key: PRIVATE_KEY };
  const servers = {
    http: createWebServer(policy, destinations),
    https: createTlsWebServer(policy, destinations, pair),
    alpn: createAlpnServer(),
  };
  const listener = createWebListener(servers, { firstByteMs: 2_000 });
  listeners.push(listener);
  await listener.listen([0], "127.0.0.1");
  return listener.port();
}

/** Over plain HTTP, as from another host. */
const plain = (port: number, method: string, path: string, headers: Record<string, string> = {}) =>
  send(port, method, path, { headers: { ...FORWARDED, ...headers } });

async function overTls(port: number, host: string) {
  const sent = httpsRequest({ port, host: "localhost", ca: CERTIFICATE, agent: false, path: "/x" });
  sent.setHeader("host", host);
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response.headers["strict-transport-security"];
}

test("redirects pages to the URL of the server", async () => {
  const port = await start();
  for (const path of ["/console", "/console/emails?after=1", "/", "/docs", "/account"])
    expect(await plain(port, "GET", path)).toMatchObject({
      status: 308,
      headers: { location: `https://${HOST}${path}` },
    });
});

test("refuses API keys and writes", async () => {
  const port = await start();
  const withKey = await plain(port, "GET", "/emails", { authorization: "Bearer ph_1" });
  expect(withKey.status).toBe(403);
  expect(JSON.parse(withKey.text)).toEqual({
    statusCode: 403,
    name: "validation_error",
    message: expect.stringContaining("must be sent over HTTPS") as string,
  });
  expect((await plain(port, "POST", "/console/api/sessions/signIn")).status).toBe(403);
});

test("serves programs that don't follow redirects", async () => {
  const port = await start();
  expect((await plain(port, "GET", "/healthz")).status).toBe(200);
  const challenge = await plain(port, "GET", "/.well-known/acme-challenge/none");
  expect(challenge.status).toBe(404);
});

test("serves plain HTTP from this host, in local mode, and with an http URL", async () => {
  expect((await send(await start(), "GET", "/emails")).text).toBe("served");
  const http = await start({ POSTHOUSE_URL: "http://mail.internal.test" });
  expect((await plain(http, "GET", "/emails")).text).toBe("served");
  const local = await start({ POSTHOUSE_HOSTNAME: "" });
  expect((await plain(local, "GET", "/emails")).text).toBe("served");
});

test.each([
  ["192.0.2.7", "serve"],
  ["192.0.2.8", "refuse"],
])("a request to 192.0.2.7 from %s: %s", (remoteAddress, verdict) => {
  const policy = {
    ...readConfig({ POSTHOUSE_HOSTNAME: HOST }),
    isCertificateTrusted: () => true,
    isTrackingHost: () => false,
  };
  const socket = { remoteAddress, localAddress: "192.0.2.7" };
  const request = { method: "POST", headers: {}, socket } as unknown as IncomingMessage;
  expect(judgeTransport(request, policy)).toBe(verdict);
});

test("serves what a proxy received over TLS, even if a trusted proxy doesn't say so", async () => {
  const port = await start();
  const headers = { authorization: "Bearer ph_1", "x-forwarded-proto": "https" };
  expect((await plain(port, "GET", "/emails", headers)).text).toBe("served");
  const trusting = await start({ POSTHOUSE_TRUSTED_PROXIES: "127.0.0.1" });
  expect((await send(trusting, "GET", "/emails")).text).toBe("served");
  expect((await plain(trusting, "GET", "/emails")).status).toBe(308);
});

test("HSTS is set over TLS, for the server's own host and with a trusted certificate only", async () => {
  expect(await overTls(await start(), HOST)).toBe("max-age=31536000");
  expect(await overTls(await start(), "t.example.test")).toBeUndefined();
  expect(await overTls(await start({}, { isTrusted: false }), HOST)).toBeUndefined();
  const answer = await plain(await start(), "GET", "/console", { host: HOST });
  expect(answer.headers["strict-transport-security"]).toBeUndefined();
});
