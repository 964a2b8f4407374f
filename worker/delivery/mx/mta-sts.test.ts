import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { beforeEach, expect, onTestFinished, test } from "vitest";

import { mtaStsPolicies } from "#drizzle/schema/index.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type Zones } from "#server/testing/fake-dns.ts";
import { aPolicyHost, enforcing } from "#server/testing/policy-host.ts";
import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";

import { createPolicyFinder, matchesPolicy, readPolicy } from "./mta-sts.ts";

const RECORD = "_mta-sts.there.test";
const ENFORCED = { mode: "enforce", mx: ["mx.there.test"], maxAgeSeconds: 86_400 };

beforeEach(async () => {
  await db().delete(mtaStsPolicies);
});

/** A domain there.test with a policy host, and finders with an empty cache. */
async function aDomainWithPolicy({ hasRecord = true, text = enforcing("mx.there.test") } = {}) {
  const zones: Zones = { "mta-sts.there.test": { A: ["127.0.0.1"] } };
  if (hasRecord) zones[RECORD] = { TXT: ["v=STSv1; id=1;"] };
  const dns = await aDnsServer(zones);
  const host = await aPolicyHost(text);
  const resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
  const http = host.http(resolver);
  onTestFinished(async () => {
    await http.close();
    await Promise.all([host.close(), dns.close()]);
  });
  const log = pino({ level: "silent" });
  return {
    dns,
    host,
    newFinder: (from = db()) => createPolicyFinder({ db: from, resolver, http, log }),
  };
}

/** Makes the cached policy this much older. */
const age = (time: string) =>
  db()
    .update(mtaStsPolicies)
    .set({ expiresAt: sql`expires_at - ${time}::interval` })
    .where(eq(mtaStsPolicies.domain, "there.test"));

test("fetches a policy from the domain's policy host and stores it", async () => {
  const { host, newFinder } = await aDomainWithPolicy();

  expect(await newFinder()("there.test")).toEqual(ENFORCED);
  expect(host.requests).toEqual(["mta-sts.there.test/.well-known/mta-sts.txt"]);
  expect(await newFinder()("there.test")).toMatchObject(ENFORCED);
  expect(host.requests).toHaveLength(1);
});

test("concurrent and later lookups within minutes share one answer", async () => {
  const { dns, host, newFinder } = await aDomainWithPolicy();
  const find = newFinder();

  await Promise.all([find("there.test"), find("there.test"), find("THERE.test")]);
  await find("there.test");

  expect(host.requests).toHaveLength(1);
  expect(dns.questions.filter((question) => question.startsWith("TXT"))).toEqual([`TXT ${RECORD}`]);
});

test("does not fetch a policy for a domain without the record", async () => {
  const { dns, host, newFinder } = await aDomainWithPolicy({ hasRecord: false });

  expect(await newFinder()("there.test")).toBeNull();
  expect(dns.questions).toEqual([`TXT ${RECORD}`]);
  expect(host.requests).toEqual([]);
});

test.each([
  ["two records", ["v=STSv1; id=1", "v=STSv1; id=2"]],
  ["another version", ["v=STSv2; id=1"]],
  ["no id", ["v=STSv1; ids=1"]],
  ["an id that cannot be one", [`v=STSv1; id=${"1".repeat(33)}`]],
])("finds no policy with %s", async (_, records) => {
  const { dns, host, newFinder } = await aDomainWithPolicy();
  dns.records[RECORD] = { TXT: records };

  expect(await newFinder()("there.test")).toBeNull();
  expect(host.requests).toEqual([]);
});

test.each(["v=STSv1; id=20261121T000000", "v=STSv1;id=a1", "v=STSv1 ; x=y; id=a1 ;"])(
  "accepts a record written %s, beside others",
  async (record) => {
    const { dns, newFinder } = await aDomainWithPolicy();
    dns.records[RECORD] = { TXT: ["something else", record] };

    expect(await newFinder()("there.test")).toEqual(ENFORCED);
  },
);

test("fetches the policy again if the id changes", async () => {
  const { dns, host, newFinder } = await aDomainWithPolicy();
  await newFinder()("there.test");

  host.answer.text = enforcing("other.there.test");
  dns.records[RECORD] = { TXT: ["v=STSv1; id=2"] };

  expect(await newFinder()("there.test")).toMatchObject({ mx: ["other.there.test"] });
  expect(await newFinder()("there.test")).toMatchObject({ mx: ["other.there.test"] });
  expect(host.requests).toHaveLength(2);
});

test.each<[string, Zones[string]]>([
  ["the record is gone", {}],
  ["the DNS fails", "SERVFAIL"],
  ["the DNS is silent", "TIMEOUT"],
])("keeps a known policy if %s", async (_, records) => {
  const { dns, newFinder } = await aDomainWithPolicy();
  await newFinder()("there.test");
  dns.records[RECORD] = records;

  expect(await newFinder()("there.test")).toMatchObject(ENFORCED);
  await age("25 hours");
  expect(await newFinder()("there.test")).toBeNull();
});

test.each([
  ["hangs up", { status: 0 }],
  ["answers 404", { status: 404 }],
  ["leads elsewhere", { status: 301, location: "https://mta-sts.there.test/elsewhere" }],
  ["answers with a page", { type: "text/html" }],
  ["answers without end", { text: enforcing("mx.there.test") + "\n".repeat(65 * 1024) }],
  ["answers with nonsense", { text: "nonsense" }],
])("ignores a policy host that %s", async (_, answer) => {
  const { dns, host, newFinder } = await aDomainWithPolicy();
  const fine = { ...host.answer };
  Object.assign(host.answer, answer);
  expect(await newFinder()("there.test")).toBeNull();

  Object.assign(host.answer, fine);
  await newFinder()("there.test");
  Object.assign(host.answer, answer);
  dns.records[RECORD] = { TXT: ["v=STSv1; id=2"] };
  const find = newFinder();
  expect(await find("there.test")).toMatchObject(ENFORCED);
  await find("there.test");
  expect(host.requests).toHaveLength(3);
});

test("does not connect to a policy host at a private address", async () => {
  const { dns, host, newFinder } = await aDomainWithPolicy();
  dns.records["mta-sts.there.test"] = { A: ["127.0.0.2"] };

  expect(await newFinder()("there.test")).toBeNull();
  expect(host.requests).toEqual([]);
});

test("rejects a policy host with a certificate for another name", async () => {
  const { dns, host, newFinder } = await aDomainWithPolicy();
  dns.records["_mta-sts.other.test"] = { TXT: ["v=STSv1; id=1"] };
  dns.records["mta-sts.other.test"] = { A: ["127.0.0.1"] };

  expect(await newFinder()("other.test")).toBeNull();
  expect(host.requests).toEqual([]);
});

test("fetches a policy again after half of its max_age", async () => {
  const { host, newFinder } = await aDomainWithPolicy();
  await newFinder()("there.test");
  await age("13 hours");
  await newFinder()("there.test");
  expect(host.requests).toHaveLength(2);
  await age("13 hours");
  host.answer.status = 500;

  expect(await newFinder()("there.test")).toMatchObject(ENFORCED);
});

test("uses the policy host's answer without a database, and doesn't throw", async () => {
  const { host, newFinder } = await aDomainWithPolicy();
  const nowhere = connect("postgres://nobody@127.0.0.1:1/none");
  onTestFinished(() => nowhere.close());

  expect(await newFinder(nowhere.db)("there.test")).toEqual(ENFORCED);
  expect(host.requests).toHaveLength(1);
});

test.each(["[127.0.0.1]", "", "a b", "there.test:1"])("looks up nothing for %j", async (domain) => {
  const { dns, newFinder } = await aDomainWithPolicy();

  expect(await newFinder()(domain)).toBeNull();
  expect(dns.questions).toEqual([]);
});

const lines = (...all: string[]) => all.join("\n");
const FINE = ["version: STSv1", "mode: enforce", "mx: mx.there.test", "max_age: 86400"];

test("parses a policy", () => {
  const text =
    "version: STSv1\r\nmode: enforce\r\nmx: MX.there.test\r\nmx: *.mail.test\r\nmax_age: 86400\r\n";

  expect(readPolicy(text)).toEqual({
    mode: "enforce",
    mx: ["mx.there.test", "*.mail.test"],
    maxAgeSeconds: 86400,
  });
});

test("parses our own policy", () => {
  expect(readPolicy(ownMtaStsPolicy({ hostname: "mail.here.test", tls: null }).text)).toEqual({
    mode: "testing",
    mx: ["mail.here.test"],
    maxAgeSeconds: 604_800,
  });
});

test("uses the first of a repeated field and ignores unknown ones", () => {
  const text = lines("mode:testing", ...FINE, "max_age: 1", "comment: a: b", "", "nonsense");

  expect(readPolicy(text)).toMatchObject({ mode: "testing", maxAgeSeconds: 86400 });
});

test("limits max_age to a year", () => {
  const text = lines(...FINE.slice(0, 3), "max_age: 9999999999");

  expect(readPolicy(text)?.maxAgeSeconds).toBe(31_557_600);
});

test("mode none needs no mail servers", () => {
  expect(readPolicy(lines("version: STSv1", "mode: none", "max_age: 60"))).toEqual({
    mode: "none",
    mx: [],
    maxAgeSeconds: 60,
  });
});

test.each([
  ["nothing", ""],
  ["a page", "<html><title>version: STSv1</title></html>"],
  ["no version", lines(...FINE.slice(1))],
  ["another version", lines("version: STSv2", ...FINE.slice(1))],
  ["no mode", lines(FINE[0]!, ...FINE.slice(2))],
  ["an unknown mode", lines("mode: strict", ...FINE)],
  ["no max_age", lines(...FINE.slice(0, 3))],
  ["half a second", lines(...FINE.slice(0, 3), "max_age: 0.5")],
  ["a time before now", lines(...FINE.slice(0, 3), "max_age: -1")],
  ["no mail server", lines(...FINE.filter((line) => !line.startsWith("mx")))],
  ["a mail server that can be none", lines(...FINE.with(2, "mx: a\u0000b"))],
  ["a wildcard in the middle", lines(...FINE.with(2, "mx: mx.*.test"))],
])("rejects a policy with %s", (_, text) => {
  expect(readPolicy(text)).toBeNull();
});

test.each([
  ["mx.there.test", true],
  ["a.mail.test", true],
  ["mail.test", false],
  ["a.b.mail.test", false],
  ["amail.test", false],
  ["mx.there.test.evil.test", false],
  ["test", false],
  ["", false],
])("the host %j matches mx.there.test or *.mail.test: %s", (host, matches) => {
  expect(matchesPolicy(host, ["mx.there.test", "*.mail.test"])).toBe(matches);
});
