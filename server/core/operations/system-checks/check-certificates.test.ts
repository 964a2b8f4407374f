import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";

import { certificates } from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { loadSelfSigned, writeIssued } from "#server/core/platform/tls/certificate.ts";
import { db } from "#server/db/pool.ts";
import { issueCertificate } from "#server/testing/acme-authority.ts";

import { checkCertificates } from "./check-certificates.ts";

const HOSTNAME = "mail.example.test";
const DAY_MS = 86_400_000;
// Certificates expire at whole seconds.
const now = new Date(Math.floor(Date.now() / 1000) * 1000);

let dataFolder: string;
beforeEach(async () => {
  await db().delete(certificates);
  dataFolder = await mkdtemp(join(tmpdir(), "check-certificates-"));
});
afterEach(() => rm(dataFolder, { recursive: true }));

const check = (env: Record<string, string> = {}, at = now) =>
  checkCertificates(
    db(),
    readConfig({ POSTHOUSE_HOSTNAME: HOSTNAME, POSTHOUSE_DATA: dataFolder, ...env }),
    at,
  );

const issue = async (validDays: number) =>
  writeIssued(dataFolder, await issueCertificate(HOSTNAME, validDays));

test("a self-signed certificate is a warning with the reason why there is no other", async () => {
  expect(await check()).toMatchObject([
    { state: "warning", found: expect.stringMatching(/^Self-signed/) as string },
  ]);
  await db().insert(certificates).values({ name: HOSTNAME, problem: "Port 80 is closed" });
  expect((await check())[0]!.advice).toContain("couldn't get one: Port 80 is closed");
  expect((await check({ POSTHOUSE_ACME: "off" }))[0]!.advice).toContain("POSTHOUSE_TLS_CERT");
  expect(await check({ POSTHOUSE_HOSTNAME: "" })).toMatchObject([{ state: "ok" }]);
});

test("an issued certificate is fine until 14 days before it expires", async () => {
  await issue(90);
  expect(await check()).toMatchObject([
    { state: "ok", found: `Certificate for ${HOSTNAME}, expires in 90 days` },
  ]);
  expect(await check({}, new Date(now.getTime() + 75.5 * DAY_MS))).toMatchObject([{ state: "ok" }]);
  expect(await check({}, new Date(now.getTime() + 76.5 * DAY_MS))).toMatchObject([
    { state: "warning", found: `Certificate for ${HOSTNAME}, expires in 13 days` },
  ]);
});

test("a certificate for six days is fine until a day before it expires", async () => {
  await issue(6);
  expect(await check({}, new Date(now.getTime() + 4.8 * DAY_MS))).toMatchObject([{ state: "ok" }]);
  expect(await check({}, new Date(now.getTime() + 5.2 * DAY_MS))).toMatchObject([
    { state: "warning" },
  ]);
});

test("the operator's files win over an issued certificate", async () => {
  await issue(90);
  const pair = await loadSelfSigned({ dataFolder, hostname: HOSTNAME, now });
  const [cert, key] = [join(dataFolder, "own.crt"), join(dataFolder, "own.key")];
  await writeFile(cert, pair.certificate);
  await writeFile(key, pair.key);
  expect(await check({ POSTHOUSE_TLS_CERT: cert, POSTHOUSE_TLS_KEY: key })).toMatchObject([
    { state: "ok", found: `Certificate for ${HOSTNAME}, expires in 824 days` },
  ]);
});

test("warns about names whose orders or renewals fail, not about those without DNS", async () => {
  await issue(90);
  const expiring = {
    name: "mta-sts.a.test",
    issuedAt: sql`clock_timestamp() - interval '77 days'`,
    notAfter: sql`clock_timestamp() + interval '13 days'`,
    problem: "The authority is down",
  };
  await db()
    .insert(certificates)
    .values([
      expiring,
      { ...expiring, name: "b.test", notAfter: sql`clock_timestamp() + interval '15 days'` },
      { name: "autoconfig.a.test", failures: 3, problem: "Invalid response: 404" },
      { name: "autodiscover.a.test", problem: "autodiscover.a.test has no A or AAAA record" },
    ]);
  expect((await check()).filter(({ state }) => state !== "ok").map(({ found }) => found)).toEqual([
    "The certificate for mta-sts.a.test isn't being renewed: The authority is down",
    "There is no certificate for autoconfig.a.test: Invalid response: 404",
  ]);
});
