import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";

import ipaddr from "ipaddr.js";
import { expect, onTestFinished, test, vi } from "vitest";

import { aDnsServer, type Zones } from "#server/testing/fake-dns.ts";
import { anHttpsReceiver } from "#server/testing/https-receiver.ts";
import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

import { createResolver } from "./dns.ts";
import { createOutgoingHttp, type OutgoingFailure, type OutgoingRequest } from "./outgoing-http.ts";

/** 127.0.0.1 stands for the public internet, every other address of this machine for a private network. */
const OUTSIDE = ipaddr.parseCIDR("127.0.0.1/32");
const HOST = "mx.example.test";
/** Shorter than any other timeout, so that the tested limit ends the request. */
const FAST = { timeout: 20_000 };

async function aClient(
  records: Zones = { [HOST]: { A: ["127.0.0.1"] } },
  options: Partial<Parameters<typeof createOutgoingHttp>[0]> = {},
) {
  const dns = await aDnsServer(records);
  const resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 2_000, tries: 1 });
  const http = createOutgoingHttp({
    resolver,
    allowedPrivate: [OUTSIDE],
    ca: CERTIFICATE,
    ...options,
  });
  onTestFinished(async () => {
    await http.close();
    await dns.close();
  });
  const get = (url: string, request: Partial<OutgoingRequest> = {}) =>
    http.request({
      url,
      method: "GET",
      headers: {},
      timeoutMs: 3000,
      answerBytesMax: 1000,
      ...request,
    });
  return { dns, get, close: () => http.close() };
}

async function aReceiver(script: (number | "hang" | "drop")[] = []) {
  const receiver = await anHttpsReceiver(script);
  onTestFinished(() => receiver.close());
  return { ...receiver, url: `https://${HOST}:${receiver.port}/` };
}

/** Answers with the given listener; `connections` counts every TCP connection. */
async function aServer(
  answer: (response: ServerResponse) => void,
  address = "127.0.0.1",
  port = 0,
) {
  let connections = 0;
  const options = { key: PRIVATE_KEY, cert: CERTIFICATE };
  const server = createServer(options, (_request, response) => answer(response));
  server.on("connection", () => (connections += 1));
  server.listen(port, address);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const port_ = (server.address() as AddressInfo).port;
  return { url: `https://${HOST}:${port_}/`, port: port_, connections: () => connections };
}

test("sends a request unchanged and returns its response", async () => {
  const receiver = await aReceiver([201]);
  const { get } = await aClient();

  const answer = await get(`${receiver.url}hooks?a=1`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"a":1}',
  });

  expect(answer).toMatchObject({ status: 201, isCut: false });
  expect(answer.body.toString()).toBe("received");
  const { headers, ...request } = receiver.received[0]!;
  expect(request).toEqual({ method: "POST", path: "/hooks?a=1", body: '{"a":1}' });
  expect(headers).toMatchObject({
    host: `${HOST}:${receiver.port}`,
    "content-type": "application/json",
  });
});

test.each([
  [
    "in one packet",
    ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok"],
  ],
  [
    "before the answer",
    ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok"],
  ],
  [
    "twice, with a field, in pieces, among others",
    [
      "HTTP/1.1 10",
      "0 Continue\r\nx: y\r\n",
      "\r\nHTTP/1.1 100 Continue\r\n\r\n",

      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok",
    ],
  ],
])("skips an unexpected 100 Continue: %s", async (_, pieces) => {
  const server = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data: Buffer) => {
      if (!data.includes("\r\n\r\n")) return;
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await delay(20);
        }
      })();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { get } = await aClient();
  const url = `https://${HOST}:${(server.address() as AddressInfo).port}/`;
  for (const body of ["first", "HTTP/1.1 100 on the same connection"]) {
    const answer = await get(url, { method: "POST", body });
    expect(answer).toMatchObject({ status: 201, isCut: false });
    expect(answer.body.toString()).toBe("ok");
  }
});

test("returns a redirect without following it", async () => {
  const other = await aServer((response) => response.end());
  const server = await aServer((response) =>
    response.writeHead(302, { location: other.url }).end(),
  );
  const { get } = await aClient();

  const answer = await get(server.url);

  expect(answer).toMatchObject({ status: 302, headers: { location: other.url } });
  expect(other.connections()).toBe(0);
});

test("environment proxies are not used", async () => {
  const proxy = await aServer((response) => response.end());
  vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${proxy.port}`);
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const receiver = await aReceiver();
  const { get } = await aClient();

  expect((await get(receiver.url)).status).toBe(200);
  expect(proxy.connections()).toBe(0);
});

test.each([
  ["127.0.0.2", "a loopback address"],
  ["2130706434", "an address as one number"],
  ["0x7f.0.0.2", "an address in hexadecimal"],
  ["0177.0.0.2", "an address in octal"],
  ["127.2", "a short address"],
  ["127.0.0.2.", "an address with the root's dot"],
  ["[::ffff:127.0.0.2]", "an IPv4 address in IPv6"],
  ["[::1]", "the loopback of IPv6"],
  ["169.254.169.254", "a cloud's metadata service"],
  ["0.0.0.0", "no address at all"],
])("rejects %s without connecting: %s", async (host) => {
  const inside = await aServer((response) => response.end(), "127.0.0.2");
  const { get } = await aClient();

  await expect(get(`https://${host}:${inside.port}/`)).rejects.toMatchObject({
    name: "OutgoingFailure",
    code: "private_address",
  });
  expect(inside.connections()).toBe(0);
});

test("rejects a name if any of its addresses is not public", async () => {
  const inside = await aServer((response) => response.end(), "127.0.0.2");
  const outside = await aServer((response) => response.end(), "127.0.0.1", inside.port);
  const { get, dns } = await aClient({ [HOST]: { A: ["127.0.0.1", "127.0.0.2"] } });

  await expect(get(outside.url)).rejects.toMatchObject({ code: "private_address" });

  dns.records[HOST] = { A: ["127.0.0.1"], AAAA: ["fe80::1"] };
  await expect(get(outside.url)).rejects.toMatchObject({ code: "private_address" });
  expect(inside.connections() + outside.connections()).toBe(0);
});

test("never connects to a private address when a name resolves differently the second time", async () => {
  const inside = await aServer((response) => response.end(), "127.0.0.2");
  const outside = await aServer(
    (response) => response.writeHead(200, { connection: "close" }).end(),
    "127.0.0.1",
    inside.port,
  );
  let asked = 0;
  const rebinding = {
    get A() {
      asked += 1;
      return [asked === 1 ? "127.0.0.1" : "127.0.0.2"];
    },
  };
  const { get } = await aClient({ [HOST]: rebinding });

  expect((await get(outside.url)).status).toBe(200);
  expect(asked).toBe(1);
  await expect(get(outside.url)).rejects.toMatchObject({ code: "private_address" });
  expect(inside.connections()).toBe(0);
});

test("a kept connection stays at the address that was checked", async () => {
  const outside = await aServer((response) => response.end());
  const { get, dns } = await aClient(undefined, { connectionsPerHostMax: 1 });

  await get(outside.url);
  dns.records[HOST] = { A: ["127.0.0.2"] };
  await get(outside.url);

  expect(outside.connections()).toBe(1);
  expect(dns.questions.filter((question) => question.startsWith("A "))).toHaveLength(1);
});

test("`localhost` is this machine and never looked up", async () => {
  const receiver = await aReceiver();
  const url = `https://localhost:${receiver.port}/`;
  const open = await aClient();
  const strict = await aClient({}, { allowedPrivate: [] });

  expect((await open.get(url)).status).toBe(200);
  await expect(strict.get(url)).rejects.toMatchObject({ code: "private_address" });
  expect([...open.dns.questions, ...strict.dns.questions]).toEqual([]);
});

test("accepts the certificate of a name with a trailing dot", async () => {
  const receiver = await aReceiver();
  const { get } = await aClient();

  expect((await get(`https://${HOST}.:${receiver.port}/`)).status).toBe(200);
  expect(receiver.received[0]!.headers.host).toBe(`${HOST}:${receiver.port}`);
});

test("tries the next address if one does not respond", async () => {
  const receiver = await aReceiver();
  const { get } = await aClient(
    { [HOST]: { A: ["127.0.0.3", "127.0.0.1"] } },
    { allowedPrivate: [ipaddr.parseCIDR("127.0.0.0/8")] },
  );

  expect((await get(receiver.url)).status).toBe(200);
});

test("supports https only", async () => {
  const { get } = await aClient();

  for (const url of [`http://${HOST}/`, "file:///etc/passwd", "nonsense"])
    await expect(get(url)).rejects.toMatchObject({ code: "not_https" });
});

test("fails if the certificate is not valid for the host", async () => {
  const receiver = await aReceiver();
  const untrusting = await aClient(undefined, { ca: undefined });
  const otherName = await aClient({ "other.example.test": { A: ["127.0.0.1"] } });

  await expect(untrusting.get(receiver.url)).rejects.toMatchObject({ code: "certificate" });
  await expect(otherName.get(`https://other.example.test:${receiver.port}/`)).rejects.toMatchObject(
    { code: "certificate" },
  );
  expect(receiver.received).toEqual([]);
});

test("a host that does not exist, does not respond, or hangs up has an error code of its own", async () => {
  const receiver = await aReceiver(["drop"]);
  const { get } = await aClient({
    [HOST]: { A: ["127.0.0.1"] },
    "nothing.example.test": {},
    "several.example.test": { A: ["127.0.0.1", "127.0.0.1"] },
    "broken.example.test": "SERVFAIL",
  });
  const plain = createTcpServer((socket) => socket.end("220 mail.example.test ESMTP\r\n"));
  plain.listen(0, "127.0.0.1");
  await once(plain, "listening");
  onTestFinished(() => void plain.close());
  const { port } = plain.address() as AddressInfo;

  const codeOf = (url: string) =>
    get(url).then(
      () => "answered",
      (error: unknown) => (error as OutgoingFailure).code,
    );

  expect(await codeOf("https://missing.example.test/")).toBe("ENOTFOUND");
  expect(await codeOf("https://nothing.example.test/")).toBe("ENOTFOUND");
  expect(await codeOf("https://broken.example.test/")).toBe("EAI_AGAIN");
  expect(await codeOf(`https://${HOST}:1/`)).toBe("ECONNREFUSED");
  expect(await codeOf("https://several.example.test:1/")).toBe("ECONNREFUSED");
  expect(await codeOf(receiver.url)).toBe("ECONNRESET");
  expect(await codeOf(`https://${HOST}:${port}/`)).toBe("tls");
});

test("times out if the server accepts the request and does not respond", async () => {
  const receiver = await aReceiver(["hang"]);
  const { get } = await aClient();

  await expect(get(receiver.url, { timeoutMs: 200 })).rejects.toMatchObject({ code: "timeout" });
});

test(
  "times out on an unresponsive name server, and on a TLS handshake without a response",
  FAST,
  async () => {
    const silent = createTcpServer((socket) => void socket.on("error", () => {}));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { get } = await aClient({ [HOST]: { A: ["127.0.0.1"] }, "slow.test": "TIMEOUT" });

    const late = { code: "timeout" };
    await expect(get("https://slow.test/", { timeoutMs: 100 })).rejects.toMatchObject(late);
    await expect(get(`https://${HOST}:${port}/`, { timeoutMs: 100 })).rejects.toMatchObject(late);
  },
);

test("reads only the beginning of an endless body", FAST, async () => {
  const server = await aServer((response) => {
    const pour = () => {
      while (response.write("x".repeat(1000)));
    };
    response.on("drain", pour).on("error", () => {});
    pour();
  });
  const { get } = await aClient();

  const answer = await get(server.url, { answerBytesMax: 1500, timeoutMs: 60_000 });

  expect(answer).toMatchObject({ status: 200, isCut: true });
  expect(answer.body).toHaveLength(1500);
});

test("returns the part of a stalled body that arrived", async () => {
  const server = await aServer((response) => void response.writeHead(204 + 1).write("so far"));
  const { get } = await aClient();

  const answer = await get(server.url, { timeoutMs: 300 });

  expect(answer).toMatchObject({ status: 205, isCut: true });
  expect(answer.body.toString()).toBe("so far");
});

test("reads a body of exactly the allowed length completely", async () => {
  const server = await aServer((response) => response.end("x".repeat(1000)));
  const { get } = await aClient();

  expect(await get(server.url)).toMatchObject({ isCut: false, body: Buffer.alloc(1000, "x") });
});

test("does not decompress a compressed body", async () => {
  const server = await aServer((response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end("not really packed"),
  );
  const { get } = await aClient();

  expect((await get(server.url)).body.toString()).toBe("not really packed");
});

test("rejects a response with endless headers", async () => {
  const server = await aServer((response) =>
    response.writeHead(200, { "x-long": "x".repeat(20_000) }).end(),
  );
  const { get } = await aClient();

  await expect(get(server.url)).rejects.toMatchObject({ code: "bad_answer" });
});

test("limits concurrent connections to a host", async () => {
  const waiting: ServerResponse[] = [];
  const server = await aServer((response) => void waiting.push(response));
  const { get } = await aClient(undefined, { connectionsPerHostMax: 2 });

  const requests = [1, 2, 3, 4].map(() => get(server.url));
  for (let answered = 0; answered < 4; answered += 1) {
    await vi.waitUntil(() => waiting.length > 0);
    waiting.shift()!.end();
  }

  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(server.connections()).toBe(2);
});

test("closing waits for the requests in flight and leaves no connection", async () => {
  const waiting: ServerResponse[] = [];
  const server = await aServer((response) => void waiting.push(response));
  const { get, close } = await aClient();

  const request = get(server.url);
  await vi.waitUntil(() => waiting.length > 0);
  const closing = close();
  const { socket } = waiting[0]!;
  waiting[0]!.end("done");

  expect((await request).body.toString()).toBe("done");
  await closing;
  await vi.waitUntil(() => socket!.destroyed);
});
