import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { certificates, domainFindings, domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { updateDomain } from "#server/core/domains/domains/domains.ts";
import {
  findTrackingHost,
  listTrackingHosts,
} from "#server/core/platform/certificates/certificate-names.ts";
import { loadSigningDomains } from "#server/core/sending/dkim/dkim-keys.ts";
import { db } from "#server/db/pool.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";
import { type DnsZone, aDnsZone } from "#server/testing/dns-zone.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";

import { checkRecords } from "./check-records.ts";

const ACME = {
  acme: { directoryUrl: "https://ca.test", email: null, binding: null, dnsHook: null },
};

let zone: DnsZone;
let domain: Awaited<ReturnType<typeof aDomain>>;
let host: string;

beforeAll(async () => {
  zone = await aDnsZone();
});
afterAll(() => zone.close());

beforeEach(async () => {
  domain = await aDomain((await aCompany()).id);
  host = `links.${domain.name}`;
  zone.delegate(domain.name);
});

const set = (trackingSubdomain: string | null) =>
  updateDomain(aContext(domain.companyId), domain.id, { trackingSubdomain });
const check = (mode: "verify" | "recheck" = "verify", dns: ZoneDns = zone.dns) =>
  checkRecords(aContext(domain.companyId), domain.id, { dns, mode });
const inUse = () => findTrackingHost(db(), domain.id, { acme: null });

function point(name: string, target: string | null) {
  for (const server of [zone.first, zone.second])
    server.records[name] = target === null ? {} : { CNAME: [target] };
}

test("is used once its CNAME record leads here, and not after a check misses it", async () => {
  await set("links");
  expect(await inUse()).toBeNull();
  point(host, "elsewhere.test");
  await check();
  expect(await inUse()).toBeNull();
  point(host, config().hostname);
  await check();
  expect(await inUse()).toBe(host);
  expect((await loadSigningDomains(db(), [domain.id])).get(domain.id)).toMatchObject({
    trackingHost: host,
  });
  point(host, null);
  await check("recheck");
  expect(await inUse()).toBeNull();
  expect(await listTrackingHosts(db())).toContain(host);
});

test("with ACME, is used only with a valid certificate", async () => {
  await set("links");
  point(host, config().hostname);
  await check();
  const now = () => findTrackingHost(db(), domain.id, ACME);
  expect(await now()).toBeNull();
  await db().insert(certificates).values({ name: host, notAfter: "2001-01-01 00:00:00+00" });
  expect(await now()).toBeNull();
  const notAfter = new Date(Date.now() + 86_400_000).toISOString();
  await db().update(certificates).set({ notAfter }).where(eq(certificates.name, host));
  expect(await now()).toBe(host);
  await db().delete(certificates).where(eq(certificates.name, host));
});

test("isn't used by a company that has lost the domain", async () => {
  await set("links");
  point(host, config().hostname);
  await check();
  await db().update(domains).set({ ownershipProvenAt: null }).where(eq(domains.id, domain.id));
  expect(await inUse()).toBeNull();
  expect(await listTrackingHosts(db())).not.toContain(host);
});

test("a new host has to be verified again, even if a check of the previous one is running", async () => {
  await set("links");
  point(host, config().hostname);
  await check();
  const during: ZoneDns = {
    ...zone.dns,
    askAll: async (questions) => {
      const answers = await zone.dns.askAll(questions);
      await set("go");
      return answers;
    },
  };
  await check("verify", during);
  expect(await inUse()).toBeNull();
  await set(null);
  await check();
  const found = await db()
    .select({ record: domainFindings.record })
    .from(domainFindings)
    .where(eq(domainFindings.domainId, domain.id));
  expect(found.map(({ record }) => record)).not.toContain("tracking");
});
