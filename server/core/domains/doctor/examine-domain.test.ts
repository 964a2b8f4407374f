import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { config } from "#server/config.ts";
import { domains } from "#drizzle/schema/index.ts";
import { checkRecords } from "#server/core/domains/dns-checks/check-records.ts";
import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { db } from "#server/db/pool.ts";
import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { publishRecords } from "#server/testing/publish-records.ts";

import { examineDomain } from "./examine-domain.ts";

// Local mode provides no DNS records.
config().localMode = false;

/** The domain's name server, one that runs its `_domainkey`, and the configured resolver. */
let server: FakeDns;
let keyServer: FakeDns;
let resolver: FakeDns;
let dns: ZoneDns;
let domain: Awaited<ReturnType<typeof aDomain>>;

beforeAll(async () => {
  server = await aDnsServer({}, { address: "127.0.0.2" });
  keyServer = await aDnsServer({}, { address: "127.0.0.3", port: server.port });
  resolver = await aDnsServer({
    "gina.ns.cloudflare.com": { A: ["127.0.0.2"] },
    "ns.keys.test": { A: ["127.0.0.3"] },
    "mx.proxied.test": { A: ["104.16.1.1"] },
  });
});
afterAll(() => Promise.all([server, keyServer, resolver].map((one) => one.close())));

beforeEach(async () => {
  dns = createZoneDns({ dnsServers: [resolver], port: server.port, allowPrivate: true });
  domain = await aDomain((await aCompany()).id);
  resolver.records[domain.name] = { NS: ["gina.ns.cloudflare.com"] };
  await publishRecords(server, domain);
});

const ctx = () => aContext(domain.companyId);
async function examined() {
  await checkRecords(ctx(), domain.id, { dns, mode: "verify" });
  return examineDomain(ctx(), domain.id, { dns });
}
async function codes() {
  const { problems, records } = await examined();
  return [...problems, ...records.flatMap((record) => record.problems)].map(({ code }) => code);
}
const keyName = () =>
  Object.keys(server.records).find((name) => name.endsWith(`_domainkey.${domain.name}`))!;
function move(from: string, to: string) {
  server.records[to] = server.records[from]!;
  Reflect.deleteProperty(server.records, from);
}

describe("An examination", () => {
  test("returns each record with the servers' answers, the DNS provider and a zone file", async () => {
    const { provider, records, problems, zoneFile, zone } = await examined();
    expect(provider).toMatchObject({ id: "cloudflare", name: "Cloudflare" });
    expect(zone).toBe(domain.name);
    expect(problems).toEqual([]);
    expect(records[1]).toMatchObject({
      record: "dkim",
      isVerified: true,
      isRequired: true,
      answers: [{ server: "gina.ns.cloudflare.com" }, { server: "resolver" }],
      problems: [{ code: "old_copy", severity: "warning" }],
    });
    const lines = zoneFile.trim().split("\n");
    expect(lines).toContain(`${domain.name}. IN MX 10 posthouse.localhost.`);
    expect(lines).toContainEqual(
      expect.stringMatching(/^ph1-\w+\._domainkey\..+ IN TXT "v=DKIM1[^"]{248}" "[^"]+"$/),
    );
  });

  test("finds a record whose host contains the domain twice", async () => {
    move(keyName(), `${keyName()}.${domain.name}`);
    expect(await codes()).toContain("domain_twice");
  });

  test("finds a record published at the domain itself", async () => {
    const records = server.records[`_dmarc.${domain.name}`] as { TXT: string[] };
    Object.assign(server.records[domain.name]!, { TXT: [...records.TXT] });
    Reflect.deleteProperty(server.records, `_dmarc.${domain.name}`);
    expect(await codes()).toContain("wrong_host");
  });

  test("finds that _domainkey is delegated to servers without the record", async () => {
    resolver.records[`_domainkey.${domain.name}`] = { NS: ["ns.keys.test"] };
    expect(await codes()).toContain("delegated_away");
    move(keyName(), "moved.test");
    keyServer.records[(await examined()).records[1]!.name] = server.records["moved.test"]!;
    expect(await codes()).not.toContain("delegated_away");
  });

  test("finds a wildcard that answers instead of a record", async () => {
    server.records[`*.${domain.name}`] = { TXT: ["catch all"] };
    Reflect.deleteProperty(server.records, `_dmarc.${domain.name}`);
    expect(await codes()).toContain("wildcard_answers");
  });

  test("finds a mail server behind a web proxy", async () => {
    Object.assign(server.records[domain.name]!, { MX: ["10 mx.proxied.test"] });
    expect(await codes()).toContain("mx_proxied");
  });

  test("uses only stored answers when requested, and before the first check", async () => {
    const asked = resolver.questions.length;
    const { records } = await examineDomain(ctx(), domain.id, { dns: null });
    expect(records.every(({ problems, checkedAt }) => problems.length === 0 && !checkedAt)).toBe(
      true,
    );
    await examineDomain(ctx(), domain.id, { dns });
    expect(resolver.questions).toHaveLength(asked);
  });

  test("queries DNS once until the next check, however often the page reloads", async () => {
    await examined();
    const asked = () => resolver.questions.length + server.questions.length;
    const before = asked();
    await Promise.all([1, 2, 3].map(() => examineDomain(ctx(), domain.id, { dns })));
    expect(asked()).toBe(before);
  });

  test("rejects another company's domain", async () => {
    const other = aContext((await aCompany()).id);
    await expect(examineDomain(other, domain.id, { dns })).rejects.toMatchObject({
      reason: "not_found",
    });
  });

  test("times out if no server answers, and uses stored answers", async () => {
    await checkRecords(ctx(), domain.id, { dns, mode: "verify" });
    const silent = { ...dns, askAll: () => new Promise<never>(() => {}) };
    const { records } = await examineDomain(ctx(), domain.id, { dns: silent });
    expect(records).toHaveLength(9);
  });

  test("makes no queries for the sandbox's domain and finds no problems", async () => {
    const { companyId } = await ensureSandbox(db(), { canSignIn: true });
    const [sandbox] = await db().select().from(domains).where(eq(domains.companyId, companyId));
    await checkRecords(aContext(companyId), sandbox!.id, { dns, mode: "verify" });
    const { records, problems } = await examineDomain(aContext(companyId), sandbox!.id, { dns });
    expect([...problems, ...records.flatMap((record) => record.problems)]).toEqual([]);
  });
});
