import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";

import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, expect, test } from "vitest";

import { readConfig } from "#server/config.ts";
import { proxyHeaderV2 } from "#server/testing/proxy-header.ts";
import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

import { expectProxyHeaders } from "./proxy-protocol.ts";

let server: SMTPServer;
afterEach(async () => {
  await new Promise<void>((resolve) => server.close(resolve));
});

/** Greets each client with its address. */
async function serve(networks: string, tls: SMTPServerOptions = {}): Promise<number> {
  const { proxyProtocol } = readConfig({ POSTHOUSE_PROXY_PROTOCOL: networks });
  server = new SMTPServer({
    disableReverseLookup: true,
    logger: false,
    ...tls,
    onConnect: (session, done) => done(new Error(`You are ${session.remoteAddress}`)),
  });
  server.on("error", () => {});
  expectProxyHeaders(server, proxyProtocol, () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return (server.server.address() as AddressInfo).port;
}

const PROXY = "127.0.0.2";

/** What the server answers to this from this address. */
async function say(port: number, line: string | Buffer, localAddress = PROXY): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  socket.write(line);
  return text(socket);
}

test.each([
  ["IPv4", "PROXY TCP4 198.51.100.7 192.0.2.1 40000 25\r\n", "198.51.100.7"],
  ["IPv6", "PROXY TCP6 2001:db8::7 2001:db8::1 40000 25\r\n", "2001:db8::7"],
  ["unknown", "PROXY UNKNOWN\r\n", PROXY],
  ["version 2", proxyHeaderV2(), "198.51.100.7"],
  ["a health check", proxyHeaderV2({ command: 0x20, addresses: [] }), PROXY],
])("a proxy in a trusted network sets the client's address: %s", async (_, header, address) => {
  expect(await say(await serve(PROXY), header)).toContain(`You are ${address}`);
});

test("a trusted proxy without a header is rejected", async () => {
  expect(await say(await serve(PROXY), "EHLO client\r\n")).toContain("Invalid PROXY header");
});

test.each([
  ["version 1", "PROXY TCP4 198.51.100.7 192.0.2.1 40000 25\r\n"],
  ["version 2", proxyHeaderV2()],
])("a client that isn't a proxy can't send a header: %s", async (_, header) => {
  expect(await say(await serve(PROXY), header, "127.0.0.1")).toContain("You talk too soon");
});

test("a proxy's header comes before the TLS handshake, in any number of segments", async () => {
  const port = await serve(PROXY, { secure: true, cert: CERTIFICATE, key: PRIVATE_KEY });
  const raw = connect({ host: "127.0.0.1", port, localAddress: PROXY });
  const header = proxyHeaderV2({ more: 20 });
  raw.write(header.subarray(0, 14));
  await new Promise((resolve) => setTimeout(resolve, 20));
  raw.write(header.subarray(14));
  expect(await text(connectTls({ socket: raw, ca: CERTIFICATE, host: "localhost" }))).toContain(
    "You are 198.51.100.7",
  );
  const direct = connectTls({ host: "localhost", port, ca: CERTIFICATE });
  expect(await text(direct)).toContain("You are 127.0.0.1");
});
