import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createServer as createTlsServer,
  createSecureContext,
  type Server as TlsServer,
} from "node:tls";

import { afterEach, beforeEach, expect, test } from "vitest";

import { type AcmeServer, anAcmeServer } from "#server/testing/acme-server.ts";

import { AcmeError, type Challenge, createAcmeKey, type Order, orderCertificate } from "./acme.ts";
import { createResolver } from "./dns.ts";

let acme: AcmeServer;
let http: Server;
let tls: TlsServer;
/** What was published, by token and by name. */
const bodies = new Map<string, string>();
const pairs = new Map<string, string>();

beforeEach(async () => {
  http = createServer((request, response) => {
    const body = bodies.get(request.url!.split("/").at(-1)!);
    response.writeHead(body ? 200 : 404).end(body);
  }).listen(0, "127.0.0.1");
  tls = createTlsServer({
    ALPNProtocols: ["acme-tls/1"],
    SNICallback: (name, done) => {
      const pem = pairs.get(name)!;
      done(null, createSecureContext({ cert: pem, key: pem }));
    },
  }).listen(0, "127.0.0.1");
  await Promise.all([once(http, "listening"), once(tls, "listening")]);
  const portOf = (server: Server | TlsServer) => (server.address() as AddressInfo).port;
  acme = await anAcmeServer({ http: portOf(http), tls: portOf(tls) });
});
afterEach(async () => {
  bodies.clear();
  pairs.clear();
  http.close();
  tls.close();
  await acme.close();
});

const publish = (challenge: Challenge) => {
  const { name, token } = challenge;
  if (challenge.type === "http-01") bodies.set(token, challenge.body);
  else if (challenge.type === "tls-alpn-01") pairs.set(name, challenge.pem);
  else acme.txt.set(`_acme-challenge.${name}`, [challenge.text]);
  return Promise.resolve();
};

async function order(more: Partial<Order> = {}) {
  return orderCertificate({
    directoryUrl: acme.directoryUrl,
    accountKey: await createAcmeKey(),
    accountUrl: null,
    email: null,
    binding: null,
    publish,
    pollMs: 10,
    names: ["mail.example.test"],
    types: ["http-01"],
    onAccount: () => Promise.resolve(),
    resolver: createResolver({ dnsServers: null }),
    ...more,
  });
}

test.each(["http-01", "tls-alpn-01", "dns-01"] as const)(
  "orders a certificate for two names by %s",
  async (type) => {
    const names = ["mail.example.test", "mta-sts.example.test"];
    const { chain, key } = await order({ names, types: [type] });
    const certificate = new X509Certificate(chain);
    expect(names.map((name) => certificate.checkHost(name))).toEqual(names);
    expect(key).toContain("PRIVATE KEY");
    expect(acme.validations).toEqual(names.map((name) => `${type} ${name}`));
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  },
);

test("uses the first of its challenges that the authority offers", async () => {
  acme.script.types = ["tls-alpn-01"];
  await order({ types: ["http-01", "tls-alpn-01"] });
  expect(acme.validations).toEqual(["tls-alpn-01 mail.example.test"]);
  acme.script.types = ["dns-01"];
  await expect(order()).rejects.toThrow("offers none of http-01");
});

test("repeats a request whose nonce was rejected", async () => {
  acme.script.badNonces = 2;
  await order();
  expect(acme.orders).toHaveLength(1);
});

test("creates the account once, with the terms agreed to and the contact", async () => {
  const accountKey = await createAcmeKey();
  let accountUrl: string | null = null;
  const onAccount = (url: string) => Promise.resolve(void (accountUrl = url));
  await order({ accountKey, onAccount, email: "ops@example.test" });
  expect([...acme.accounts]).toEqual([
    [accountUrl, expect.objectContaining({ contact: ["mailto:ops@example.test"] })],
  ]);
  await order({ accountKey, accountUrl });
  expect(acme.accounts.size).toBe(1);
});

test("a failed challenge is an error with the authority's reason", async () => {
  const failure = order({ publish: () => Promise.resolve() });
  await expect(failure).rejects.toThrow(AcmeError);
  await expect(failure).rejects.toThrow("Invalid response: 404");
});

test("a rate limit is an error with the time to wait, at once", async () => {
  acme.script.rateLimitSeconds = 7_200;
  await expect(order()).rejects.toMatchObject({
    message: "Too many certificates already issued",
    problem: "rateLimited",
    retryAfterMs: 7_200_000,
  });
});

test("an authority that can't be reached is an error", async () => {
  const directoryUrl = "http://127.0.0.1:1/directory";
  await expect(order({ directoryUrl })).rejects.toThrow(/ECONNREFUSED/);
});
