import { randomBytes } from "node:crypto";

import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { auditEntries, companies, domains, webhookEvents } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { backdateClaim } from "#server/testing/claimed-domains.ts";
import { aCompany, aDomain, anApiKey, aWebhook } from "#server/testing/factories.ts";

import { domainsApi } from "./api.ts";

let companyId: string;
let key: string;

beforeAll(async () => {
  ({ companyId, key } = await aCaller());
});

async function aCaller(overrides: Parameters<typeof aCompany>[0] = {}) {
  const company = await aCompany(overrides);
  const { token } = await anApiKey(company.id, { privileges: ["domains"] });
  return { companyId: company.id, key: token };
}

const aName = () => `${randomBytes(6).toString("hex")}.test`;
const add = (name: unknown, as = key) => call(domainsApi.add, { key: as, body: { name } });
const refused = (message: string | RegExp, status = 403) => ({
  status,
  body: {
    statusCode: status,
    name: "validation_error",
    message: expect.stringMatching(message) as string,
  },
});
const many = async (count: number, as: string) => {
  for (let i = 0; i < count; i++) expect((await add(aName(), as)).status).toBe(200);
};

describe("POST /domains", () => {
  test("takes the tracking settings, and ignores other fields of Resend's SDK", async () => {
    const tracking = { open_tracking: true, click_tracking: true, tracking_subdomain: "links" };
    const body = { name: aName(), ...tracking, custom_return_path: "send", tls: "enforced" };
    const created = await call(domainsApi.add, { key, body });
    expect(created).toMatchObject({ status: 200, body: tracking });
    const [stored] = await db().select().from(domains).where(eq(domains.name, body.name));
    expect(stored).toMatchObject({
      openTracking: true,
      clickTracking: true,
      trackingSubdomain: "links",
    });
  });

  test.each([
    ["open_tracking", "yes"],
    ["tracking_subdomain", "mail"],
    ["tracking_subdomain", "a.b"],
  ])("rejects %s: %j without creating the domain", async (field, value) => {
    const name = aName();
    const { status, body } = await call(domainsApi.add, { key, body: { name, [field]: value } });
    expect(status).toBe(422);
    expect((body as { message: string }).message).toContain(field);
    expect(await db().$count(domains, eq(domains.name, name))).toBe(0);
  });

  test("returns the whole domain with only the Ownership record", async () => {
    const name = aName();

    const { status, body } = await add(name);

    expect(status).toBe(200);
    expect(body).toEqual({
      object: "domain",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      name,
      status: "not_started",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/) as string,
      region: "eu-central",
      capabilities: { sending: "disabled", receiving: "disabled" },
      open_tracking: false,
      click_tracking: false,
      records: [
        {
          record: "Ownership",
          name: `_svc-verify.${name}`,
          type: "TXT",
          ttl: "Auto",
          status: "pending",
          value: expect.stringMatching(/^svc-verify=[0-9a-f]{32}$/) as string,
        },
      ],
    });
  });

  test("strips what is pasted around the name, and ignores unknown fields", async () => {
    const name = aName();

    const { body } = await call(domainsApi.add, {
      key,
      body: {
        name: `https://ann@${name.toUpperCase()}:8443/path`,
        region: "us-east-1",
        custom_return_path: "send",
        tls: "enforced",
        capabilities: { receiving: "enabled" },
      },
    });

    expect(body).toMatchObject({ name, region: "eu-central" });
  });

  test("writes an audit entry and sends domain.created", async () => {
    const webhook = await aWebhook(companyId, { events: ["domain.created"] });
    const name = aName();
    const { id, created_at: createdAt } = (await add(name)).body as Record<string, string>;

    const events = await db()
      .select()
      .from(webhookEvents)
      .where(eq(webhookEvents.webhookId, webhook.id));
    expect(events).toMatchObject([
      {
        type: "domain.created",
        payload: {
          type: "domain.created",
          created_at: expect.stringMatching(/^[\d-]+T[\d:]+\.\d{3}Z$/) as string,
          data: {
            id,
            name,
            status: "not_started",
            created_at: `${createdAt!.slice(0, 23).replace(" ", "T")}Z`,
          },
        },
      },
    ]);
    expect(Object.keys(events[0]!.payload.data).sort()).toEqual([
      "created_at",
      "id",
      "name",
      "status",
    ]);
    const audit = await db()
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "domain.added")));
    expect(audit.map(({ details }) => details)).toContainEqual({ domainId: id, name });
  });

  test.each([
    ["left out", {}],
    ["null", { name: null }],
    ["empty", { name: "" }],
    ["white space", { name: "  " }],
  ])("returns missing_required_field for a name that is %s", async (_, body) => {
    expect(await call(domainsApi.add, { key, body })).toMatchObject({
      status: 422,
      body: { name: "missing_required_field", message: "Missing required field: name" },
    });
  });

  test.each([
    ["example"],
    ["192.0.2.1"],
    ["a_b.test"],
    ["co.uk"],
    ["github.io"],
    [7],
    [["a.test"]],
  ])("rejects %j", async (name) => {
    expect(await add(name)).toMatchObject(refused(/./, 422));
  });

  test.each([
    ["gmail.com", /^gmail\.com is a public mailbox provider\. Use a domain/],
    ["team.yahoo.co.uk", /^yahoo\.co\.uk is a public mailbox provider/],
    ["example.com", /^example\.com is reserved for examples/],
    ["posthouse.localhost", /belongs to this mail service/],
    ["a.posthouse.localhost", /belongs to this mail service/],
  ])("rejects %s", async (name, message) => {
    expect(await add(name)).toMatchObject(refused(message));
  });

  test("rejects a name the company already has, however it is spelled", async () => {
    const name = aName();
    await add(name);

    expect(await add(`HTTP://${name}./`)).toMatchObject(
      refused(/is already one of your domains \(id [0-9a-f-]{36}\)$/),
    );
  });

  test("rejects a name whose ownership another company has verified", async () => {
    const { name } = await aDomain((await aCompany()).id, { name: aName() });

    expect(await add(name)).toMatchObject(refused(/already registered by another company/));
  });

  test("rejects a name that another company has claimed, and says from when it is available", async () => {
    const name = aName();
    await add(name, (await aCaller()).key);

    expect(await add(name)).toMatchObject(
      refused(/you can add it from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    );
  });

  test("rejects a name again after the claim expired while another company waited, and says until when", async () => {
    const name = aName();
    const other = await aCaller();
    await add(name);
    await add(name, other.key);
    for (const id of [companyId, other.companyId]) await backdateClaim({ companyId: id, name }, 8);

    expect(await add(name)).toMatchObject(
      refused(/add it again from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    );
    expect((await add(name, other.key)).status).toBe(200);
  });

  test("rejects domains over the plan's limit", async () => {
    const caller = await aCaller({ domainsMax: 2 });
    await aDomain(caller.companyId);
    await many(1, caller.key);

    expect(await add(aName(), caller.key)).toMatchObject(refused(/^Your plan allows 2 domains/));
  });

  test("requires an active subscription", async () => {
    const caller = await aCaller();
    await db()
      .update(companies)
      .set({ subscriptionActive: false })
      .where(eq(companies.id, caller.companyId));

    expect(await add(aName(), caller.key)).toMatchObject({
      status: 403,
      body: { name: "account_inactive" },
    });
  });

  test("rejects an eleventh domain that waits for ownership verification", async () => {
    const caller = await aCaller();
    await aDomain(caller.companyId);
    await many(10, caller.key);

    expect(await add(aName(), caller.key)).toMatchObject(
      refused(/^10 domains are already waiting for ownership verification/, 429),
    );
  });

  test("does not count expired domains toward the plan or the waiting domains", async () => {
    const caller = await aCaller({ domainsMax: 10 });
    await many(10, caller.key);
    const rows = await db().select().from(domains).where(eq(domains.companyId, caller.companyId));
    await backdateClaim(rows[0]!, 8);

    expect((await add(aName(), caller.key)).status).toBe(200);
  });
});
