import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { auditEntries } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { redirectLogs } from "#server/processes/logger.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { dnsConsole } from "#server/resources/domains/dns.ts";

const TOKEN = "cf-secret-3b9d77";

let dns: FakeDns;
let written: string;

beforeAll(async () => {
  // The provider's host has a private address, which must never be called.
  dns = await aDnsServer({ "api.cloudflare.com": { A: ["127.0.0.1"] } });
  process.env.POSTHOUSE_DNS = `${dns.address}:${dns.port}`;
  // Local mode provides no DNS records.
  config().localMode = false;
  written = "";
  redirectLogs({ write: (line) => (written += line), flushSync: () => undefined });
});
afterAll(() => dns.close());

async function aDomainAdmin() {
  const { id: companyId } = await aCompany();
  const admin = await anAdmin(companyId, { privileges: ["domains"] });
  const cookie = (await startSession(db(), admin.id)).split(";")[0]!;
  return { companyId, cookie, domain: await aDomain(companyId) };
}

test("a provider with a private address isn’t called, and the token is in no log, error or audit entry", async () => {
  const { companyId, cookie, domain } = await aDomainAdmin();
  const access = { provider: "cloudflare", token: TOKEN };
  const calls = [
    await call(dnsConsole.previewDnsSetup, {
      cookie,
      params: { id: domain.id },
      body: access,
    }),
    await call(dnsConsole.publishDnsSetup, {
      cookie,
      params: { id: domain.id },
      body: { ...access, digest: "0", confirmed: [] },
    }),
    // An invalid body names its fields.
    await call(dnsConsole.previewDnsSetup, {
      cookie,
      params: { id: domain.id },
      body: { provider: "other", token: TOKEN },
    }),
    await call(dnsConsole.previewDnsSetup, {
      cookie,
      params: { id: domain.id },
      body: { ...access, token: `${TOKEN}\n${TOKEN}` },
    }),
  ];
  for (const answer of calls) {
    expect(answer).toMatchObject({ status: 422, body: { name: "validation_error" } });
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  }
  expect(calls[0]!.body).toMatchObject({
    message: expect.stringContaining("didn’t respond") as string,
  });
  expect(calls[3]!.body).toMatchObject({
    message: expect.stringContaining("token: contains a space") as string,
  });
  expect(dns.questions).toContain("A api.cloudflare.com");
  expect(written).toContain("/console/api/dns/previewDnsSetup");
  expect(written).not.toContain(TOKEN);
  const audited = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId));
  expect(JSON.stringify(audited)).not.toContain(TOKEN);
});
