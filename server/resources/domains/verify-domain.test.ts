import { randomBytes } from "node:crypto";

import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { auditEntries, dkimKeys, domains, webhookEvents } from "#drizzle/schema/index.ts";
import { verifyDomain as verifyInCore } from "#server/core/domains/domains/verify-domain.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { backdateClaim } from "#server/testing/claimed-domains.ts";
import { aCompany, aContext, anApiKey, aWebhook } from "#server/testing/factories.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { domainsApi } from "./api.ts";

type Record = { record: string; name: string; type: string; value: string; status: string };
type Shown = { id: string; name: string; status: string; records: Record[] };

let dns: FakeDns;
let companyId: string;
let key: string;
let webhookId: string;
let domain: Shown;

beforeAll(async () => {
  dns = await aDnsServer({ "posthouse.localhost": { A: ["192.0.2.25"] } });
  // The process reads its settings when it first needs one.
  process.env.POSTHOUSE_DNS = `127.0.0.1:${dns.port}`;
});
afterAll(() => dns.close());

beforeEach(async () => {
  ({ companyId, key } = await aCaller());
  webhookId = (await aWebhook(companyId, { events: ["domain.updated"] })).id;
  domain = await add(`${randomBytes(6).toString("hex")}.test`, key);
});

async function aCaller() {
  const { id } = await aCompany();
  return {
    companyId: id,
    key: (await anApiKey(id, { privileges: ["domains", "api_controls"] })).token,
  };
}

async function add(name: string, as: string): Promise<Shown> {
  return (await call(domainsApi.add, { key: as, body: { name } })).body as Shown;
}
const verify = (id = domain.id, as = key) => call(domainsApi.verify, { key: as, params: { id } });
const shown = async () => {
  const { body } = await call(domainsApi.get, { key, params: { id: domain.id } });
  return body as Shown & { capabilities: object };
};

/** Publishes records as the API returned them and keeps existing ones. */
function publish(records: Record[]) {
  for (const { name, type, value } of records)
    (dns.records[name] as object | undefined) = {
      ...(dns.records[name] as object | undefined),
      [type]: [type === "MX" ? `10 ${value}` : value],
    };
}
const unpublish = (name: string) => Reflect.deleteProperty(dns.records, name);
const recordOf = async (kind: string) =>
  (await shown()).records.find(({ record }) => record === kind)!;

/** Verifies the ownership, then publishes the records that the API returns. */
async function publishAll() {
  publish(domain.records);
  expect((await verify()).status).toBe(200);
  publish((await shown()).records);
}

/** The statuses sent to webhooks. */
const told = async () => {
  const rows = await db()
    .select({ payload: webhookEvents.payload })
    .from(webhookEvents)
    .where(eq(webhookEvents.webhookId, webhookId))
    .orderBy(webhookEvents.createdAt);
  return rows.map(({ payload }) => payload.data.status);
};
const keysOf = (domainId: string) => db().$count(dkimKeys, eq(dkimKeys.domainId, domainId));
const audited = (action: string) =>
  db().$count(
    auditEntries,
    and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)),
  );
const refused = (message: RegExp) => ({
  status: 422,
  body: { name: "validation_error", message: expect.stringMatching(message) as string },
});

describe("POST /domains/{id}/verify before ownership is verified", () => {
  test("says where the record belongs, what it should contain, and that there is none", async () => {
    const [{ name, value }] = domain.records as [Record];

    const { status, body } = await verify();

    expect({ status, body }).toMatchObject(refused(/Found: no such record\./));
    expect((body as { message: string }).message).toContain(
      `a TXT record at ${name} with the value ${value}`,
    );
  });

  test("says what was found instead", async () => {
    dns.records[domain.records[0]!.name] = { TXT: ["svc-verify=old", 'say "hello"'] };

    expect(await verify()).toMatchObject(refused(/Found: "svc-verify=old", "say \\"hello\\""\./));
  });

  test("says that no DNS server responded", async () => {
    dns.records[domain.records[0]!.name] = "SERVFAIL";

    expect(await verify()).toMatchObject(refused(/Found: no answer .*SERVFAIL/));
  });

  test("changes the status to pending and sends one event", async () => {
    await verify();
    await verify();

    expect((await shown()).status).toBe("pending");
    expect((await shown()).records.map(({ record }) => record)).toEqual(["Ownership"]);
    expect(await told()).toEqual(["pending"]);
    // The console shows their records together with the ownership record.
    expect(await keysOf(domain.id)).toBe(2);
  });

  test("verifies ownership, sets the domain up for sending and checks the other records in one request", async () => {
    publish(domain.records);

    const { status, body } = await verify();

    expect({ status, body }).toEqual({ status: 200, body: { object: "domain", id: domain.id } });
    const { records, ...after } = await shown();
    expect(after).toMatchObject({
      status: "pending",
      capabilities: { sending: "enabled", receiving: "disabled" },
    });
    expect(records.map(({ record, name, type }) => [record, name, type])).toEqual([
      ["SPF", domain.name, "TXT"],
      ["DKIM", expect.stringMatching(/^ph1-[0-9a-f]+\._domainkey\./), "TXT"],
      ["DMARC", `_dmarc.${domain.name}`, "TXT"],
      ["MX", domain.name, "MX"],
    ]);
    expect(records.every(({ status }) => status === "pending")).toBe(true);
    expect(records[1]!.value).toMatch(/^v=DKIM1; k=rsa; p=[\w+/=]{300,}$/);
    expect(await told()).toEqual(["pending"]);
    expect(await audited("domain.verified")).toBe(1);
  });

  test("takes existing records into account", async () => {
    publish(domain.records);
    dns.records[domain.name] = { TXT: ["v=spf1 a:posthouse.localhost ~all"] };

    await verify();

    expect(await told()).toEqual(["partially_verified"]);
    expect(await recordOf("SPF")).toMatchObject({ status: "verified" });
  });

  test("twenty concurrent calls create one key and record one change", async () => {
    publish(domain.records);

    const answers = await Promise.all(Array.from({ length: 20 }, () => verify()));

    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await keysOf(domain.id)).toBe(2);
    expect(await told()).toEqual(["pending"]);
    expect(await audited("domain.verified")).toBe(1);
  });

  test("one of two companies verifies ownership, and the other's domain ends", async () => {
    const other = await aCaller();
    const [theirs] = await db()
      .insert(domains)
      .values({ companyId: other.companyId, name: domain.name, ownershipToken: "theirs" })
      .returning();
    const host = domain.records[0]!.name;
    dns.records[host] = { TXT: ["svc-verify=theirs", domain.records[0]!.value] };

    const answers = await Promise.all([verify(), verify(theirs!.id, other.key)]);

    const [lost] = answers.filter(({ status }) => status !== 200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // Not found, if the domain expired before the request looked it up.
    expect([404, 422]).toContain(lost!.status);
    expect(await db().$count(domains, eq(domains.name, domain.name))).toBe(1);
  });

  test("reports a domain that could not be set up, which can be verified again", async () => {
    publish(domain.records);
    const broken = sql.raw(`alter table dkim_keys add constraint broken
      check (domain_id <> '${domain.id}')`);
    await db().execute(broken);

    expect(await verify()).toMatchObject(refused(/could not be set up for sending\. Verify it/));
    await db().execute(sql`alter table dkim_keys drop constraint broken`);

    expect(await shown()).toMatchObject({ capabilities: { sending: "disabled" } });
    expect((await verify()).status).toBe(200);
  });
});

describe("POST /domains/{id}/verify afterwards", () => {
  beforeEach(publishAll);

  test("finds the records as returned and verifies the domain", async () => {
    await verify();

    const after = await shown();
    expect(after).toMatchObject({
      status: "verified",
      capabilities: { sending: "enabled", receiving: "enabled" },
    });
    expect(after.records.map(({ record, status }) => [record, status])).toEqual(
      ["SPF", "DKIM", "DMARC", "MX"].map((record) => [record, "verified"]),
    );
    expect(await told()).toEqual(["pending", "verified"]);
    expect(await keysOf(domain.id)).toBe(2);
  });

  test.each([
    ["DKIM", "partially_verified"],
    ["DMARC", "verified"],
  ])("without %s the status is %s", async (kind, status) => {
    unpublish((await recordOf(kind)).name);

    await verify();

    expect(await shown()).toMatchObject({ status });
    expect(await recordOf(kind)).toMatchObject({ status: "pending" });
  });

  test("without SPF and DKIM the status is pending again, and without MX receiving is disabled", async () => {
    await verify();
    unpublish(domain.name);
    unpublish((await recordOf("DKIM")).name);

    await verify();

    expect(await shown()).toMatchObject({
      status: "pending",
      capabilities: { sending: "enabled", receiving: "disabled" },
    });
    expect(await told()).toEqual(["pending", "verified", "pending"]);
  });

  test("does not check the Ownership record again", async () => {
    unpublish(domain.records[0]!.name);

    expect((await verify()).status).toBe(200);
    expect(await shown()).toMatchObject({ status: "verified" });
  });

  test("sends no event when the status stays the same", async () => {
    await verify();
    await verify();
    await Promise.all(Array.from({ length: 5 }, () => verify()));

    expect(await told()).toEqual(["pending", "verified"]);
  });

  test("missing DNS answers change nothing", async () => {
    await verify();
    dns.records[domain.name] = "SERVFAIL";
    dns.records[(await recordOf("DKIM")).name] = "SERVFAIL";

    expect((await verify()).status).toBe(200);
    expect(await shown()).toMatchObject({ status: "verified" });
  });

  test("creates a key for a domain that has none", async () => {
    await db().delete(dkimKeys).where(eq(dkimKeys.domainId, domain.id));

    await verify();

    expect(await keysOf(domain.id)).toBe(2);
  });
});

test("checks requested in the console send no events", async () => {
  publish(domain.records);
  await verifyInCore(aContext(companyId), domain.id, { via: "console" });

  expect(await shown()).toMatchObject({ status: "pending" });
  expect(await told()).toEqual([]);
});

test("returns not_found for another company's domain, an expired one and an unknown id", async () => {
  const other = await aCaller();
  const nowhere = "01990000-0000-7000-8000-000000000000";
  const expected = { status: 404, body: { name: "not_found", message: "Domain not found" } };

  expect(await verify(domain.id, other.key)).toMatchObject(expected);
  expect(await verify(nowhere)).toMatchObject(expected);
  expect(await verify("no-id")).toMatchObject(expected);
  await backdateClaim({ companyId, name: domain.name }, 7);
  expect(await verify()).toMatchObject(expected);
});
