import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { config } from "#server/config.ts";
import {
  dmarcReports,
  dmarcSources,
  domainFindings,
  domains,
  tlsReports,
} from "#drizzle/schema/index.ts";
import type { Difference } from "#server/core/domains/doctor/diff-texts.ts";
import { type Privilege, PRIVILEGES } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aDomain,
  aMailbox,
  anAdmin,
  anApiKey,
  aWebhook,
} from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { domainsConsole } from "./console.ts";
import { dnsConsole } from "./dns.ts";

let dns: FakeDns;

beforeAll(async () => {
  dns = await aDnsServer();
  process.env.POSTHOUSE_DNS = `${dns.address}:${dns.port}`;
  // Local mode provides no DNS records.
  config().localMode = false;
});
afterAll(() => dns.close());

async function aSession(companyId: string, privileges: Privilege[], isOwner = false) {
  const admin = await anAdmin(companyId, { privileges, isOwner });
  return (await startSession(db(), admin.id)).split(";")[0]!;
}

/** An admin with every domain privilege that a role can grant. */
async function aDomainAdmin() {
  const { id: companyId } = await aCompany();
  return { companyId, cookie: await aSession(companyId, ["api_controls", "domains"]) };
}

type Detail = {
  status: string;
  records: { kind: string; name: string; type: string; value: string }[];
};

const readDomain = async (cookie: string, id: string) =>
  (await call(domainsConsole.get, { cookie, params: { id } })).body as Detail;

test("creates and verifies a domain, and lists the records to publish at each step", async () => {
  const { companyId, cookie } = await aDomainAdmin();
  const webhook = await aWebhook(companyId);
  const name = `${randomUUID()}.test-zone.com`;

  const added = await call(domainsConsole.create, {
    cookie,
    body: { name: `https://${name.toUpperCase()}/` },
  });
  expect(added.status).toBe(200);
  const { id } = added.body as { id: string };
  const proof = await call(domainsConsole.get, { cookie, params: { id } });
  expect(proof.body).toMatchObject({
    name,
    zone: "test-zone.com",
    status: "not_started",
    isOwnershipVerified: false,
    checkedAt: null,
  });
  const [first] = (proof.body as Detail).records;
  expect(first).toMatchObject({
    kind: "ownership",
    type: "TXT",
    name: `_svc-verify.${name}`,
    host: `_svc-verify.${name.replace(".test-zone.com", "")}`,
    need: "required",
    isVerified: false,
    answers: [],
  });

  dns.records[`_svc-verify.${name}`] = { TXT: ["something else"] };
  dns.records[name] = { TXT: ["v=spf1 ip4:192.0.2.1 ~all"] };
  const refused = await call(domainsConsole.verify, { cookie, params: { id } });
  expect(refused).toMatchObject({ status: 422, body: { name: "validation_error" } });
  const unproven = await readDomain(cookie, id);
  expect(unproven).toMatchObject({ status: "pending" });
  expect(unproven.records[0]).toMatchObject({
    answers: [{ kind: "found", records: ["something else"] }],
  });
  // Everything can be published in one go: the DKIM keys exist and the existing records were read.
  expect(unproven.records.every(({ value }) => value !== "")).toBe(true);
  expect(unproven.records.find(({ kind }) => kind === "spf")).toMatchObject({
    value: expect.stringContaining("ip4:192.0.2.1") as string,
    isVerified: false,
  });

  const [record] = (proof.body as Detail).records;
  dns.records[`_svc-verify.${name}`] = { TXT: [record!.value] };
  const proven = await call(domainsConsole.verify, { cookie, params: { id } });
  expect(proven).toMatchObject({ status: 200, body: { status: "pending" } });

  const { records } = await readDomain(cookie, id);
  expect(records.map(({ kind }) => kind)).toEqual([
    "spf",
    "dkim",
    "dkim_ed25519",
    "dmarc",
    "mx",
    "return_path_mx",
    "return_path_spf",
    "mta_sts",
    "mta_sts",
    "tls_rpt",
  ]);
  for (const { kind, name: host, value } of records)
    if (["spf", "dkim", "dmarc"].includes(kind)) dns.records[host] = { TXT: [value] };
  const verified = await call(domainsConsole.verify, { cookie, params: { id } });
  expect(verified.body).toEqual({ status: "verified" });
  expect(await readDomain(cookie, id)).toMatchObject({ isSpfAligned: false });
  const [mx, spf] = records.filter(({ kind }) => kind.startsWith("return_path"));
  dns.records[mx!.name] = { MX: [`10 ${mx!.value}`], TXT: [spf!.value] };
  await call(domainsConsole.verify, { cookie, params: { id } });
  expect(await readDomain(cookie, id)).toMatchObject({
    returnPath: `bounces.${name}`,
    isSpfAligned: true,
  });
  const list = await call(domainsConsole.list, { cookie });
  expect(list.body).toMatchObject({ data: [{ name, status: "verified", missing: ["mx"] }] });

  // Changes made in the console don't trigger webhook events.
  expect(await eventsOf(webhook.id)).toEqual([]);
  await call(domainsConsole.update, { cookie, params: { id }, body: { openTracking: true } });
  expect(await eventsOf(webhook.id)).toEqual(["domain.updated"]);
});

async function eventsOf(webhookId: string): Promise<string[]> {
  const found = await db().query.webhookEvents.findMany({
    where: (event, { eq }) => eq(event.webhookId, webhookId),
  });
  return found.map(({ type }) => type);
}

test("rejects invalid names with the API's errors", async () => {
  const { cookie } = await aDomainAdmin();
  const create = (name: unknown) => call(domainsConsole.create, { cookie, body: { name } });
  expect(await create("gmail.com")).toMatchObject({
    status: 403,
    body: { name: "validation_error" },
  });
  expect(await create("not a domain")).toMatchObject({ status: 422 });
  expect(await create("  ")).toMatchObject({ status: 422, body: { message: "name: is required" } });
});

test("updates open and click tracking separately", async () => {
  const { companyId, cookie } = await aDomainAdmin();
  const { id } = await aDomain(companyId);
  const change = (body: unknown) => call(domainsConsole.update, { cookie, params: { id }, body });
  expect((await change({ clickTracking: true })).status).toBe(200);
  expect(await readDomain(cookie, id)).toMatchObject({
    openTracking: false,
    clickTracking: true,
  });
  await change({ openTracking: true });
  expect(await readDomain(cookie, id)).toMatchObject({ openTracking: true, clickTracking: true });
});

test("lists the missing records of a domain whose ownership is verified", async () => {
  const { companyId, cookie } = await aDomainAdmin();
  const { id } = await aDomain(companyId, { status: "pending" });
  const checkedAt = new Date().toISOString();
  await db()
    .insert(domainFindings)
    .values(
      (["ownership", "mx", "spf", "dkim"] as const).map((record) => ({
        domainId: id,
        record,
        checkedAt,
        isVerified: record === "dkim",
      })),
    );
  const { body } = await call(domainsConsole.list, { cookie });
  expect(body).toMatchObject({ data: [{ id, missing: ["spf", "mx"] }] });
});

test("counts what uses a domain, and lets owners delete it once it has no mailboxes", async () => {
  const { id: companyId } = await aCompany();
  const cookie = await aSession(companyId, [], true);
  const domain = await aDomain(companyId);
  const params = { id: domain.id };
  await aMailbox(domain);
  await anApiKey(companyId, { permission: "sending_access", domainId: domain.id });
  await anApiKey(companyId);
  expect((await call(domainsConsole.getUse, { cookie, params })).body).toEqual({
    apiKeys: 1,
    mailboxes: 1,
    scheduledEmails: 0,
  });
  const refused = await call(domainsConsole.delete, { cookie, params });
  expect(refused).toMatchObject({ status: 409, body: { name: "resource_in_use" } });

  const unused = await aDomain(companyId);
  const deleted = await call(domainsConsole.delete, { cookie, params: { id: unused.id } });
  expect(deleted.body).toEqual({
    id: unused.id,
    deleted: true,
    deletedId: expect.any(String) as string,
  });
  expect(await db().$count(domains, eq(domains.id, unused.id))).toBe(0);
});

test("summarizes reports for the requested period, with the hostnames of the sources", async () => {
  const { companyId, cookie } = await aDomainAdmin();
  const { id } = await aDomain(companyId);
  const period = daysAgo(10);
  const report = { ...period, domainId: id, companyId, orgName: "google.com", reportId: "r1" };
  const [stored] = await db()
    .insert(dmarcReports)
    .values({ ...report, policy: { p: "quarantine" } })
    .returning();
  const source = { reportId: stored!.id, sourceIp: "192.0.2.25", headerFrom: "a.example" };
  await db()
    .insert(dmarcSources)
    .values([
      { ...source, messages: 9, disposition: "none", dkim: "pass", spf: "fail" },
      { ...source, messages: 1, disposition: "quarantine", dkim: "fail", spf: "fail" },
    ]);
  const failure = { type: "certificate-expired", sessions: 3, policy: "sts", reason: "old" };
  await db()
    .insert(tlsReports)
    .values({ ...report, successful: 5, failed: 3, failures: [failure] });
  dns.records["25.2.0.192.in-addr.arpa"] = { PTR: ["out.sender.test"] };
  dns.records["out.sender.test"] = { A: ["192.0.2.25"] };

  const ask = (endpoint: AnyEndpoint, days?: string) =>
    call(endpoint, { cookie, params: { id }, query: days === undefined ? {} : { days } });
  const { body: dmarc } = await ask(dnsConsole.getDmarcReports);
  expect(dmarc).toMatchObject({
    messages: 10,
    passed: 9,
    sourceCount: 1,
    policy: "quarantine",
    reporters: ["google.com"],
    sources: [
      {
        address: "192.0.2.25",
        host: "out.sender.test",
        messages: 10,
        passed: 9,
        dkimPassed: 9,
        spfPassed: 0,
        quarantined: 1,
        rejected: 0,
      },
    ],
  });
  expect((dmarc as { days: unknown[] }).days).toHaveLength(30);
  expect((await ask(dnsConsole.getTlsReports)).body).toMatchObject({
    sessions: 8,
    successful: 5,
    failed: 3,
    failures: [{ type: "certificate-expired", sessions: 3, mailHosts: [], reasons: ["old"] }],
  });
  expect((await ask(dnsConsole.getDmarcReports, "7")).body).toMatchObject({
    messages: 0,
    reporters: [],
  });
  for (const endpoint of [dnsConsole.getDmarcReports, dnsConsole.getTlsReports])
    expect(await ask(endpoint, "8")).toMatchObject({
      status: 422,
      body: { message: "days: must be 7, 30 or 90" },
    });
});

function daysAgo(days: number) {
  const at = (ms: number) => new Date(Date.now() - ms).toISOString();
  return { periodStart: at((days + 1) * 86_400_000), periodEnd: at(days * 86_400_000) };
}

test("the doctor compares expected and found records and returns a zone file", async () => {
  const { companyId, cookie } = await aDomainAdmin();
  const { id, name } = await aDomain(companyId, { status: "pending" });
  const host = `${(await readDomain(cookie, id)).records.find(({ kind }) => kind === "mx")!.value}.`;
  const found = { server: "ns1.example", address: "192.0.2.53", kind: "found" } as const;
  await db()
    .insert(domainFindings)
    .values({
      domainId: id,
      record: "spf",
      checkedAt: new Date().toISOString(),
      answers: [{ ...found, records: [["v=spf1 ~all"]], cname: null, reason: null }],
    });
  const { body } = await call(dnsConsole.getDoctor, { cookie, params: { id } });
  const { problems, zoneFile } = body as Doctor;
  const spf = problems.find(({ record, difference }) => record === "spf" && difference)!;
  expect(spf.difference!.expected).toContainEqual({
    text: expect.stringMatching(/a:/) as string,
    mark: "missing",
  });
  expect(spf.steps.length).toBeGreaterThan(0);
  expect(zoneFile).toContain(`${name}. IN MX 10 ${host}\n`);
  expect(zoneFile).toContain(`mta-sts.${name}. IN CNAME ${host}\n`);
});

type Doctor = {
  zoneFile: string;
  problems: { record: string | null; steps: string[]; difference: Difference | null }[];
};

type Row = [name: string, endpoint: AnyEndpoint, needs: Privilege[], body?: unknown];
const READERS: Privilege[] = ["api_controls", "domains"];
const endpoints: Row[] = [
  ["list", domainsConsole.list, READERS],
  ["detail", domainsConsole.get, READERS],
  ["doctor", dnsConsole.getDoctor, READERS],
  ["use", domainsConsole.getUse, ["api_controls"]],
  ["DMARC reports", dnsConsole.getDmarcReports, READERS],
  ["TLS reports", dnsConsole.getTlsReports, READERS],
  ["create", domainsConsole.create, ["domains"], { name: "northwind.com" }],
  ["verify", domainsConsole.verify, ["domains"]],
  ["tracking", domainsConsole.update, ["domains"], { openTracking: true }],
  ["delete", domainsConsole.delete, ["owner"]],
];

test.each(endpoints)("%s: returns 401 without a session", async (_, endpoint, _needs, body) => {
  const headers = { "sec-fetch-site": "same-origin" };
  const answered = await call(endpoint, { params: { id: randomUUID() }, body, headers });
  expect(answered).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
});

test.each(endpoints)("%s: returns 403 without the privilege", async (_, endpoint, needs, body) => {
  const { id: companyId } = await aCompany();
  const domain = await aDomain(companyId);
  const otherPrivileges = PRIVILEGES.filter((privilege) => !needs.includes(privilege));
  const cookie = await aSession(companyId, otherPrivileges);
  const answered = await call(endpoint, { cookie, params: { id: domain.id }, body });
  expect(answered).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
  expect(await db().query.domains.findFirst({ where: eq(domains.id, domain.id) })).toEqual(domain);
});

test.each(endpoints.filter(([, , needs]) => needs === READERS))(
  "%s: the domains privilege includes reading",
  async (_, endpoint) => {
    const { id: companyId } = await aCompany();
    const { id } = await aDomain(companyId);
    const cookie = await aSession(companyId, ["domains"]);
    expect(await call(endpoint, { cookie, params: { id } })).toMatchObject({ status: 200 });
  },
);

test.each(endpoints.filter(([, { params }]) => params !== undefined))(
  "%s: returns 404 for another company's domain",
  async (_, endpoint, _needs, body) => {
    const domain = await aDomain((await aCompany()).id);
    const cookie = await aSession((await aCompany()).id, [], true);
    const answered = await call(endpoint, { cookie, params: { id: domain.id }, body });
    expect(answered).toMatchObject({
      status: 404,
      body: { name: "not_found", message: "Domain not found" },
    });
    expect(await db().$count(domains, eq(domains.id, domain.id))).toBe(1);
  },
);
