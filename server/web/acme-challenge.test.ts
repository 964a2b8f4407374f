import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";

import {
  acmeAccounts,
  acmeChallenges,
  certificates,
  domainFindings,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  followCertificates,
  type NamedCertificates,
} from "#server/core/platform/certificates/stored-certificates.ts";
import { renewCertificates } from "#server/core/platform/certificates/renew-certificates.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { loadCertificate } from "#server/core/platform/tls/certificate.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { type AcmeServer, anAcmeServer } from "#server/testing/acme-server.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { openSocket, send } from "#server/testing/http-client.ts";
import { CERTIFICATE, PRIVATE_KEY } from "#server/testing/self-signed.ts";

import { createAlpnServer, isAcmeHello } from "./acme-challenge.ts";
import { createTlsWebServer, createWebServer } from "./create-web-server.ts";
import { createWebListener, type WebListener } from "./web-listener.ts";

const HOSTNAME = "mail.example.test";
const POLICY = {
  trustedProxies: [],
  localMode: false,
  baseUrl: `https://${HOSTNAME}`,
  isCertificateTrusted: () => true,
  isTrackingHost: () => false,
};

let acme: AcmeServer;
let dns: FakeDns;
let listener: WebListener;
let named: NamedCertificates;
let endProcess: () => Promise<void>;

beforeEach(async () => {
  for (const table of [certificates, acmeAccounts, acmeChallenges]) await db().delete(table);
  acme = await anAcmeServer();
  dns = await aDnsServer({ [HOSTNAME]: { A: ["127.0.0.1"] } });
  named = await followCertificates(db(), {
    config: {
      hostname: HOSTNAME,
      dataFolder: config().dataFolder,
      tls: null,
      acme: { directoryUrl: acme.directoryUrl, email: null, binding: null, dnsHook: null },
    },
    onProblem: (problem) => {
      throw problem;
    },
    lookEveryMs: 20,
  });
  const destinations = { api: () => Promise.resolve(), pages: () => Promise.resolve() };
  const pair = { certificate: CERTIFICATE, key: PRIVATE_KEY, sniCallback: named.sniCallback };
  const http = createWebServer(POLICY, destinations);
  const https = createTlsWebServer(POLICY, destinations, pair);
  listener = createWebListener({ http, https, alpn: createAlpnServer() }, { firstByteMs: 2_000 });
  await listener.listen([0], "127.0.0.1");
  acme.ports = { http: listener.port(), tls: listener.port() };
  endProcess = await registerProcess(db(), "web");
});
afterEach(async () => {
  await endProcess();
  named.stop();
  const closed = listener.close();
  listener.closeAllConnections();
  await Promise.all([closed, acme.close(), dns.close()]);
});

const renew = () =>
  renewCertificates(db(), {
    config: {
      hostname: HOSTNAME,
      baseUrl: POLICY.baseUrl,
      tls: null,
      roles: new Set(["web"] as const),
      databaseUrl: config().databaseUrl!,
      acme: { directoryUrl: acme.directoryUrl, email: null, binding: null, dnsHook: null },
    },
    resolver: createResolver({ dnsServers: [dns] }),
    log: pino({ level: "silent" }),
    ports: acme.ports,
    pollMs: 10,
  });

async function shown(options: ConnectionOptions) {
  const socket = connectTls({
    port: listener.port(),
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ...options,
  });
  await once(socket, "secureConnect");
  const { alpnProtocol } = socket;
  const certificate = socket.getPeerX509Certificate()!;
  socket.destroy();
  return { alpnProtocol, names: certificate.subjectAltName, issuer: certificate.issuer };
}

test.each(["http-01", "tls-alpn-01"])("the web port answers %s", async (type) => {
  acme.script.types = [type];
  await renew();
  expect(acme.validations).toEqual([`${type} ${HOSTNAME}`]);
  const [row] = await db().select().from(certificates);
  expect(new X509Certificate(row!.chain!).checkHost(HOSTNAME)).toBe(HOSTNAME);
  expect(await db().$count(acmeChallenges)).toBe(0);
});

test("presents an issued certificate to clients that ask for its name, without a restart", async () => {
  const domain = await aDomain((await aCompany()).id);
  await db().insert(domainFindings).values({
    domainId: domain.id,
    record: "mx",
    isVerified: true,
    checkedAt: new Date().toISOString(),
  });
  const name = `autoconfig.${domain.name}`;
  dns.records[name] = { A: ["127.0.0.1"] };
  expect((await shown({ servername: name })).names).toContain("localhost");

  await renew();
  await expect.poll(async () => (await shown({ servername: name })).names).toBe(`DNS:${name}`);
  const trusting = connectTls({
    port: listener.port(),
    host: "127.0.0.1",
    servername: name,
    ca: acme.root,
  });
  await once(trusting, "secureConnect");
  expect(trusting.authorized).toBe(true);
  trusting.destroy();
  expect((await shown({ servername: "other.example.test" })).names).toContain("localhost");
});

test("copies the hostname's certificate to the data folder, where all listeners find it", async () => {
  await renew();
  const settings = { hostname: HOSTNAME, dataFolder: config().dataFolder, tls: null };
  await expect
    .poll(async () => {
      const { certificate } = await loadCertificate(settings, new Date());
      return new X509Certificate(certificate).issuer;
    })
    .toBe("CN=Test CA");
});

test("browsers that offer the challenge's protocol without a challenge get no certificate", async () => {
  await expect(shown({ servername: HOSTNAME, ALPNProtocols: ["acme-tls/1"] })).rejects.toThrow();
  expect((await shown({ servername: HOSTNAME, ALPNProtocols: ["http/1.1"] })).alpnProtocol).toBe(
    "http/1.1",
  );
});

test("an unknown token is not found", async () => {
  const path = "/.well-known/acme-challenge/";
  expect((await send(listener.port(), "GET", `${path}unknown-token`)).status).toBe(404);
});

test("reads a ClientHello that arrives byte by byte", async () => {
  const socket = await openSocket(listener.port());
  socket.setNoDelay(true);
  const splitting = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      for (const byte of chunk) socket.write(Uint8Array.of(byte));
      done();
    },
  });
  socket.on("data", (chunk) => splitting.push(chunk));
  const tls = connectTls({ socket: splitting, servername: HOSTNAME, rejectUnauthorized: false });
  await once(tls, "secureConnect");
  expect(tls.getPeerX509Certificate()!.subjectAltName).toContain("localhost");
  tls.destroy();
});

test("recognizes the protocol's name with its length only", () => {
  expect(isAcmeHello(Buffer.from("..\x0aacme-tls/1.."))).toBe(true);
  expect(isAcmeHello(Buffer.from("..\x0b.acme-tls/1.."))).toBe(false);
});
