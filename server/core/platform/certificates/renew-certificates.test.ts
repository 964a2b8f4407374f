import { randomUUID, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";

import {
  acmeAccounts,
  acmeChallenges,
  certificates,
  domainFindings,
  domains,
  processes,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { type AcmeServer, anAcmeServer } from "#server/testing/acme-server.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { requestCertificate } from "./certificate-names.ts";
import { findHttpAnswer } from "./acme.ts";
import { renewCertificates } from "./renew-certificates.ts";
import { findCertificate } from "./stored-certificates.ts";

const HOSTNAME = "mail.example.test";
const HERE = { A: ["127.0.0.1"] };
const DAY_MS = 86_400_000;

let acme: AcmeServer;
let dns: FakeDns;
let web: Server;
let endProcess: () => Promise<void>;
let ports: { http: number; tls: number };

beforeEach(async () => {
  await db().delete(certificates);
  await db().delete(acmeAccounts);
  await db().delete(domains);
  web = createServer((request, response) => {
    void findHttpAnswer(db(), request.url!.split("/").at(-1)!).then((answer) =>
      response.writeHead(answer ? 200 : 404).end(answer),
    );
  }).listen(0, "127.0.0.1");
  await once(web, "listening");
  // Nothing listens on port 1.
  ports = { http: (web.address() as AddressInfo).port, tls: 1 };
  acme = await anAcmeServer(ports);
  dns = await aDnsServer({ [HOSTNAME]: HERE });
  endProcess = await registerProcess(db(), "web");
});
afterEach(async () => {
  await endProcess();
  web.closeAllConnections();
  web.close();
  await Promise.all([acme.close(), dns.close()]);
});

type Own = { tls?: { certFile: string; keyFile: string } | null; baseUrl?: string };

const roles = new Set(["web", "worker"] as const);

const renew = ({ tls = null, baseUrl = `https://${HOSTNAME}` }: Own = {}) =>
  renewCertificates(db(), {
    config: {
      hostname: HOSTNAME,
      baseUrl,
      tls,
      databaseUrl: config().databaseUrl!,
      roles,
      acme: { directoryUrl: acme.directoryUrl, email: null, binding: null, dnsHook: null },
    },
    resolver: createResolver({ dnsServers: [dns] }),
    log: pino({ level: "silent" }),
    ports,
    pollMs: 10,
  });

async function aReceivingDomain(values: Parameters<typeof aDomain>[1] = {}) {
  const domain = await aDomain((await aCompany()).id, values);
  const finding = { domainId: domain.id, record: "mx" as const, isVerified: true };
  await db()
    .insert(domainFindings)
    .values({ ...finding, checkedAt: new Date().toISOString() });
  return domain.name;
}

async function rowOf(name: string) {
  const [row] = await db().select().from(certificates).where(eq(certificates.name, name));
  return row!;
}
const waitOf = async (name: string) =>
  Math.round((new Date((await rowOf(name)).nextAttemptAt).getTime() - Date.now()) / 60_000);
const makeDue = (name: string) =>
  db()
    .update(certificates)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(eq(certificates.name, name));

test("waits for a web process, which answers the authority", async () => {
  await endProcess();
  ports.http = 1;
  await renew();
  expect(await rowOf(HOSTNAME)).toMatchObject({ problem: null, attemptedAt: null });
});

test("gets a certificate for the hostname and renews it 30 days before it expires", async () => {
  await renew();
  const first = (await findCertificate(db(), HOSTNAME))!;
  const parsed = new X509Certificate(first.certificate);
  expect(parsed.checkHost(HOSTNAME)).toBe(HOSTNAME);
  const { nextAttemptAt, problem, sealedPrivateKey } = await rowOf(HOSTNAME);
  expect(parsed.validToDate.getTime() - new Date(nextAttemptAt).getTime()).toBe(30 * DAY_MS);
  expect(problem).toBeNull();
  expect(sealedPrivateKey).not.toContain("PRIVATE KEY");
  expect(await db().select().from(acmeChallenges)).toEqual([]);

  await renew();
  expect(acme.orders).toHaveLength(1);
  await makeDue(HOSTNAME);
  await renew();
  expect(acme.orders).toHaveLength(2);
  expect(acme.accounts.size).toBe(1);
  expect((await findCertificate(db(), HOSTNAME))!.certificate).not.toBe(first.certificate);
});

test("gets one for the host of POSTHOUSE_URL too, unless it is an IP address", async () => {
  dns.records["post.example.test"] = HERE;
  await renew({ baseUrl: "https://127.0.0.1:8443" });
  await renew({ baseUrl: "https://post.example.test" });
  expect(acme.orders).toEqual([[HOSTNAME], ["post.example.test"]]);
});

test("renews a certificate for six days two days before it expires", async () => {
  acme.script.validDays = 6;
  await renew();
  const { notAfter, nextAttemptAt } = await rowOf(HOSTNAME);
  const leftMs = new Date(notAfter!).getTime() - new Date(nextAttemptAt).getTime();
  expect(leftMs / DAY_MS).toBeCloseTo(2, 1);
});

test("gets certificates for the hosts of receiving domains whose DNS leads here, and no others", async () => {
  const name = await aReceivingDomain();
  await aDomain((await aCompany()).id);
  dns.records[`mta-sts.${name}`] = { CNAME: [HOSTNAME] };
  dns.records[`autoconfig.${name}`] = { A: ["127.0.0.9"] };
  await renew();
  expect(acme.orders).toEqual([[HOSTNAME], [`mta-sts.${name}`]]);
  expect((await rowOf(`autoconfig.${name}`)).problem).toContain("publish a CNAME record");
  expect((await rowOf(`autodiscover.${name}`)).problem).toContain("no A or AAAA record");
  expect(await db().$count(certificates)).toBe(4);
});

test("gets certificates for tracking hosts whose record was found, and for no others", async () => {
  const [found, missing] = [
    await aDomain((await aCompany()).id, { trackingSubdomain: "links" }),
    await aDomain((await aCompany()).id, { trackingSubdomain: "links" }),
  ];
  for (const { name } of [found, missing]) dns.records[`links.${name}`] = { CNAME: [HOSTNAME] };
  const finding = { record: "tracking" as const, checkedAt: new Date().toISOString() };
  await db()
    .insert(domainFindings)
    .values([
      { ...finding, domainId: found.id, isVerified: true },
      { ...finding, domainId: missing.id, isVerified: false },
    ]);
  for (const name of [`links.${missing.name}`, `go.${found.name}`, `links.${found.name}`])
    await requestCertificate(db(), name);
  expect(await listNames()).toEqual([`links.${found.name}`]);
  await db().delete(certificates);
  await renew();
  expect(acme.orders).toEqual([[HOSTNAME], [`links.${found.name}`]]);
  expect(await listNames()).toEqual([HOSTNAME, `links.${found.name}`].toSorted());
});

test("never asks for a certificate of a name under .localhost, such as those of the sandbox domain", async () => {
  await aReceivingDomain({ name: "posthouse.localhost" });
  for (const name of ["autoconfig.posthouse.localhost", "MTA-STS.posthouse.localhost"])
    await requestCertificate(db(), name);
  expect(await listNames()).toEqual([]);
  await renew({ baseUrl: "https://console.localhost" });
  expect(await listNames()).toEqual([HOSTNAME]);
});

const listNames = async () => {
  const rows = await db().select({ name: certificates.name }).from(certificates);
  return rows.map(({ name }) => name).toSorted();
};

test("a client that asks for a known name makes its certificate due, once a minute", async () => {
  const name = `autoconfig.${await aReceivingDomain()}`;
  await renew();
  await db().execute(sql`update certificates set attempted_at = now() - interval '2 minutes'`);
  dns.records[name] = HERE;
  for (const unknown of ["autoconfig.other.test", "www.example.test", "x' or 1=1"])
    await requestCertificate(db(), unknown);
  await requestCertificate(db(), name.toUpperCase());
  await renew();
  expect(acme.orders).toEqual([[HOSTNAME], [name]]);
  expect(await db().$count(certificates)).toBe(4);
});

test("places no order while the name's DNS is missing or its ports refuse connections", async () => {
  dns.records[HOSTNAME] = {};
  await renew();
  expect((await rowOf(HOSTNAME)).problem).toContain("has no A or AAAA record");
  expect(await waitOf(HOSTNAME)).toBe(1);
  dns.records[HOSTNAME] = HERE;
  await makeDue(HOSTNAME);
  ports.http = 1;
  await renew();
  expect(await rowOf(HOSTNAME)).toMatchObject({
    failures: 0,
    problem: expect.stringContaining("refuses connections on ports 1 and 1") as string,
  });
  expect(acme.orders).toEqual([]);
});

test("waits longer after each failed order, and keeps the current certificate", async () => {
  await renew();
  const { chain } = await rowOf(HOSTNAME);
  acme.ports = { http: 1, tls: 1 };
  for (const minutes of [1, 15, 60, 180]) {
    await makeDue(HOSTNAME);
    await renew();
    expect(await waitOf(HOSTNAME)).toBe(minutes);
  }
  expect(await rowOf(HOSTNAME)).toMatchObject({ chain, failures: 4 });
  expect((await rowOf(HOSTNAME)).problem).toContain("ECONNREFUSED");
});

test("retries every minute while the authority can't be reached", async () => {
  await acme.close();
  for (let attempt = 0; attempt < 3; attempt++) {
    await makeDue(HOSTNAME);
    await renew();
    expect(await waitOf(HOSTNAME)).toBe(1);
  }
  const { failures, problem } = await rowOf(HOSTNAME);
  expect([failures, problem]).toEqual([0, expect.stringContaining("ECONNREFUSED")]);
  acme = await anAcmeServer(ports);
  await makeDue(HOSTNAME);
  await renew();
  expect((await rowOf(HOSTNAME)).problem).toBeNull();
});

test("waits as long as a rate limit says", async () => {
  acme.script.rateLimitSeconds = 5 * 3600;
  await renew();
  expect(await waitOf(HOSTNAME)).toBe(300);
  acme.script.rateLimitSeconds = 1;
  await makeDue(HOSTNAME);
  await renew();
  expect(await waitOf(HOSTNAME)).toBe(60);
});

test("several workers place one order", async () => {
  await Promise.all(Array.from({ length: 8 }, () => renew()));
  await renew();
  expect(acme.orders).toHaveLength(1);
});

test("creates the account again when the authority has forgotten it", async () => {
  await renew();
  acme.accounts.clear();
  await makeDue(HOSTNAME);
  await renew();
  expect((await rowOf(HOSTNAME)).problem).toContain("No account with this key ID");
  await makeDue(HOSTNAME);
  await renew();
  expect((await rowOf(HOSTNAME)).problem).toBeNull();
});

test("orders nothing for the hostname if the operator brings a certificate", async () => {
  await renew({ tls: { certFile: "/cert.pem", keyFile: "/key.pem" } });
  expect(acme.orders).toEqual([]);
  expect(await db().$count(certificates)).toBe(0);
});

test("drops a name that is no longer needed when it is due", async () => {
  const name = await aReceivingDomain();
  dns.records[`mta-sts.${name}`] = HERE;
  await renew();
  await db().delete(domains);
  await renew();
  expect(await findCertificate(db(), `mta-sts.${name}`)).not.toBeNull();
  await makeDue(`mta-sts.${name}`);
  await renew();
  expect(await findCertificate(db(), `mta-sts.${name}`)).toBeNull();
  expect(acme.orders).toHaveLength(2);
});

test("keeps the names of other hosts while they run", async () => {
  const other = "mail-2.example.test";
  const facts = { names: [other] };
  const row = { id: randomUUID(), role: "mail" as const, host: "b", pid: 1, version: "1", facts };
  const now = new Date().toISOString();
  await db()
    .insert(processes)
    .values({ ...row, startedAt: now, aliveUntil: now });
  await renew();
  await makeDue(other);
  await renew();
  expect(await rowOf(other)).toMatchObject({ name: other });
  await db().delete(processes);
  await makeDue(other);
  await renew();
  expect(await rowOf(other)).toBeUndefined();
});
