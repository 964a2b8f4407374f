import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import ipaddr from "ipaddr.js";
import { expect, onTestFinished, test } from "vitest";

import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

import { createResolver } from "./dns.ts";
import { createOutgoingHttp } from "./outgoing-http.ts";

type Behavior = (response: ServerResponse, request: IncomingMessage) => void;

const answers: Behavior = (response) => void response.end("received");
const closes: Behavior = (_response, { socket }) => void socket.end();
const resets: Behavior = (_response, { socket }) => void socket.destroy();
const breaksOff: Behavior = (_response, { socket }) => void socket.end("HTTP/1.1 200 O");

/** A server that handles each request as the next behavior says, and a function that posts to it. */
async function aServer(...behaviors: Behavior[]) {
  const bodies: string[] = [];
  let connections = 0;
  const options = { key: PRIVATE_KEY, cert: CERTIFICATE };
  const server = createServer(options, (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(body);
      behaviors.shift()!(response, request);
    });
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const http = createOutgoingHttp({
    resolver: createResolver({ dnsServers: [] }),
    allowedPrivate: [ipaddr.parseCIDR("127.0.0.1/32")],
    ca: CERTIFICATE,
    connectionsPerHostMax: 1,
  });
  onTestFinished(async () => {
    await http.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const post = (body: string) =>
    http.request({
      url: `https://localhost:${port}/`,
      method: "POST",
      headers: {},
      body,
      timeoutMs: 3000,
      answerBytesMax: 1000,
    });
  return { bodies, post, connections: () => connections };
}

test.each([
  ["closes", closes],
  ["resets", resets],
])("repeats the request on a new connection if the server %s a kept one", async (_, ends) => {
  const { bodies, post, connections } = await aServer(answers, ends, answers);
  await post("one");

  expect((await post("two")).status).toBe(200);
  expect(bodies).toEqual(["one", "two", "two"]);
  expect(connections()).toBe(2);
});

test("repeats it once only", async () => {
  const { bodies, post } = await aServer(answers, closes, closes);
  await post("one");

  await expect(post("two")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(bodies).toEqual(["one", "two", "two"]);
});

test.each([
  ["closes", closes],
  ["resets", resets],
])("fails if the server %s a new connection", async (_, ends) => {
  const { bodies, post } = await aServer(ends);

  await expect(post("one")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(bodies).toEqual(["one"]);
});

test("fails if the server aborts its response", async () => {
  const { bodies, post } = await aServer(answers, breaksOff);
  await post("one");

  await expect(post("two")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(bodies).toEqual(["one", "two"]);
});
