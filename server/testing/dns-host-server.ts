import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import ipaddr from "ipaddr.js";

import { createResolver } from "#server/gateways/dns.ts";
import { createOutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { CERTIFICATE, PRIVATE_KEY } from "./self-signed.ts";

/** A record as a zone file has it: `["mail.test", "MX", "10 mx.test."]`, TXT content quoted. */
export type ZoneLine = [name: string, type: string, content: string];

export type FakeRequest = { method: string; path: string; query: URLSearchParams; body: string };
type FakeAnswer = { status?: number; body: string };
export type FakeApi = (zone: FakeZone, request: FakeRequest) => FakeAnswer;

/** A zone at a provider. */
export class FakeZone {
  readonly name: string;
  private nextId = 1;
  rows: { id: number; name: string; type: string; content: string }[] = [];

  constructor(name: string, lines: ZoneLine[]) {
    this.name = name;
    for (const line of lines) this.add(...line);
  }

  add(name: string, type: string, content: string): number {
    this.rows.push({ id: this.nextId, name, type, content });
    return this.nextId++;
  }

  get lines(): ZoneLine[] {
    return this.rows.map(({ name, type, content }): ZoneLine => [name, type, content]).sort();
  }
}

/** A DNS provider's API on loopback, with one zone and one valid token. */
export async function aDnsHostServer(zone: FakeZone, api: FakeApi, token: string) {
  /** Statuses of the next writes instead of doing them. */
  const failures: number[] = [];
  const requests: string[] = [];
  const server = createServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url!, "https://localhost");
      const method = request.method!;
      const body = Buffer.concat(chunks).toString("utf8");
      requests.push(`${method} ${url.pathname}`);
      const failure = method === "GET" ? undefined : failures.shift();
      if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(403).end("{}");
      else if (failure !== undefined) response.writeHead(failure).end("{}");
      else {
        const path = decodeURIComponent(url.pathname);
        const answer = api(zone, { method, path, query: url.searchParams, body });
        response.writeHead(answer.status ?? 200).end(answer.body);
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const http = createOutgoingHttp({
    // Localhost is never looked up.
    resolver: createResolver({ dnsServers: [] }),
    allowedPrivate: [ipaddr.parseCIDR("127.0.0.1/32")],
    ca: CERTIFICATE,
  });
  return {
    failures,
    requests,
    http,
    baseUrl: `https://localhost:${port}`,
    async close() {
      await http.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
