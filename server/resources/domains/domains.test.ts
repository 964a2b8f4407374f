import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { auditEntries, domainFindings, domains, webhookEvents } from "#drizzle/schema/index.ts";
import { updateDomain as updateInCore } from "#server/core/domains/domains/domains.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { call } from "#server/testing/call.ts";
import { backdateClaim } from "#server/testing/claimed-domains.ts";
import { aCompany, aContext, aDomain, anApiKey, aWebhook } from "#server/testing/factories.ts";

import { domainsApi } from "./api.ts";

let companyId: string;
let key: string;

beforeEach(async () => {
  ({ companyId, key } = await aCaller());
});

async function aCaller() {
  const { id } = await aCompany();
  const privileges = ["domains", "api_controls"] as const;
  return { companyId: id, key: (await anApiKey(id, { privileges: [...privileges] })).token };
}

const get = (id: string, as = key) => call(domainsApi.get, { key: as, params: { id } });
const patch = (id: string, body: unknown, as = key) =>
  call(domainsApi.update, { key: as, params: { id }, body });
const page = async (query: Record<string, string> = {}, as = key) => {
  const { body } = await call(domainsApi.list, { key: as, query });
  return body as { has_more: boolean; data: { id: string }[] };
};
const idsOf = async (query: Record<string, string> = {}) =>
  (await page(query)).data.map(({ id }) => id);
const several = async (count: number) => {
  const ids = [];
  for (let i = 0; i < count; i++) ids.unshift((await aDomain(companyId)).id);
  return ids;
};
const notFound = { status: 404, body: { name: "not_found", message: "Domain not found" } };
const unproven = { ownershipProvenAt: null, status: "not_started" } as const;
const invalidCursor = { status: 422, body: { message: "Invalid pagination cursor" } };

describe("GET /domains", () => {
  test("lists domains newest first, without details", async () => {
    const ids = await several(3);

    const { data, has_more: hasMore } = await page();

    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(hasMore).toBe(false);
    expect(data[0]).toEqual({
      object: "domain",
      id: ids[0],
      name: expect.stringMatching(/\.example$/) as string,
      status: "verified",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/) as string,
      region: "eu-central",
      capabilities: { sending: "enabled", receiving: "disabled" },
    });
  });

  test("pages after and before a domain", async () => {
    const ids = await several(5);

    expect(await page({ limit: "2" })).toMatchObject({ has_more: true });
    expect(await idsOf({ limit: "2", after: ids[1]! })).toEqual(ids.slice(2, 4));
    expect(await idsOf({ limit: "2", before: ids[4]! })).toEqual(ids.slice(2, 4));
    expect(await page({ after: ids[4]! })).toMatchObject({ data: [], has_more: false });
  });

  test("omits expired domains and other companies' domains, and rejects them as cursors", async () => {
    const [kept] = await several(1);
    const expired = await aDomain(companyId, unproven);
    await backdateClaim(expired, 7);
    const other = await aCaller();
    const theirs = await aDomain(other.companyId);

    expect(await idsOf()).toEqual([kept]);
    for (const after of [expired.id, theirs.id, "no-id"])
      expect(await call(domainsApi.list, { key, query: { after } })).toMatchObject(invalidCursor);
  });

  test.each<Record<string, string>>([
    { limit: "0" },
    { limit: "101" },
    { after: "a", before: "b" },
  ])("rejects %j", async (query) => {
    expect(await call(domainsApi.list, { key, query })).toMatchObject({
      status: 422,
      body: { name: "validation_error" },
    });
  });

  test("returns the region from the settings", async () => {
    await several(1);
    await changeSetting(db(), "region", "us-east");

    expect((await page()).data).toMatchObject([{ region: "us-east" }]);
    await changeSetting(db(), "region", "eu-central");
  });

  test("receiving is enabled if the last check found the MX record", async () => {
    const [id] = await several(1);
    await db().insert(domainFindings).values({
      domainId: id!,
      record: "mx",
      isVerified: true,
      checkedAt: new Date().toISOString(),
    });
    const receiving = { capabilities: { sending: "enabled", receiving: "enabled" } };

    expect((await page()).data).toMatchObject([receiving]);
    expect((await get(id!)).body).toMatchObject(receiving);
    await db().update(domains).set(unproven).where(eq(domains.id, id!));
    expect((await page()).data).toMatchObject([
      { capabilities: { sending: "disabled", receiving: "disabled" } },
    ]);
  });
});

describe("GET /domains/{id}", () => {
  test("returns tracking settings and records", async () => {
    const domain = await aDomain(companyId, { clickTracking: true });

    const { status, body } = await get(domain.id.toUpperCase());

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: domain.id, open_tracking: false, click_tracking: true });
    const { records } = body as { records: { record: string }[] };
    expect(records.map(({ record }) => record)).toEqual(["SPF", "DKIM", "DMARC", "MX"]);
    expect(records[0]).toEqual({
      record: "SPF",
      name: domain.name,
      type: "TXT",
      ttl: "Auto",
      status: "pending",
      value: expect.stringMatching(/^v=spf1 a:posthouse\.localhost /) as string,
    });
    expect(records[3]).toEqual({
      record: "MX",
      name: domain.name,
      type: "MX",
      ttl: "Auto",
      status: "pending",
      value: "posthouse.localhost",
      priority: 10,
    });
  });

  test("returns not_found for another company's domain and for an expired one", async () => {
    const expired = await aDomain(companyId, unproven);
    await backdateClaim(expired, 7);
    const theirs = await aDomain((await aCompany()).id);

    for (const id of [expired.id, theirs.id, "01990000-0000-7000-8000-000000000000", "x"])
      expect(await get(id)).toMatchObject(notFound);
  });
});

describe("PATCH /domains/{id}", () => {
  const eventsOf = (webhookId: string) =>
    db().select().from(webhookEvents).where(eq(webhookEvents.webhookId, webhookId));
  const switches = async (id: string) => {
    const { body } = await get(id);
    const { open_tracking: opens, click_tracking: clicks } = body as Record<string, unknown>;
    return { opens, clicks };
  };

  test("changes the given settings and keeps the others, even before ownership is verified", async () => {
    const { id } = await aDomain(companyId, { ...unproven, clickTracking: true });

    expect(await patch(id, { open_tracking: true })).toMatchObject({
      status: 200,
      body: { object: "domain", id },
    });
    expect(await switches(id)).toEqual({ opens: true, clicks: true });
    await patch(id, { open_tracking: null, click_tracking: false });
    expect(await switches(id)).toEqual({ opens: true, clicks: false });
  });

  test("sends domain.updated on a change, also from the console, and writes an audit entry", async () => {
    const { id, name } = await aDomain(companyId);
    const webhook = await aWebhook(companyId, { events: ["domain.updated"] });

    await patch(id, { open_tracking: true });
    await updateInCore(aContext(companyId), id, { clickTracking: true });

    expect(await eventsOf(webhook.id)).toMatchObject([
      { type: "domain.updated", payload: { data: { id, name, status: "verified" } } },
      { type: "domain.updated", payload: { data: { id, name, status: "verified" } } },
    ]);
    const audit = await db()
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "domain.updated")));
    expect(audit.map(({ details }) => details)).toContainEqual({
      domainId: id,
      name,
      openTracking: true,
    });
    expect(audit).toHaveLength(2);
  });

  test.each([
    ["an empty body", {}],
    ["what is so already", { open_tracking: false, click_tracking: false }],
    ["unknown fields", { tls: "enforced", region: "x", capabilities: {}, id: "y" }],
  ])("%s changes nothing and sends nothing", async (_, body) => {
    const { id } = await aDomain(companyId);
    const webhook = await aWebhook(companyId);

    expect(await patch(id, body)).toMatchObject({ status: 200, body: { object: "domain", id } });
    expect(await switches(id)).toEqual({ opens: false, clicks: false });
    expect(await eventsOf(webhook.id)).toEqual([]);
  });

  test("an empty body changes nothing", async () => {
    const { id } = await aDomain(companyId);

    expect(await call(domainsApi.update, { key, params: { id } })).toMatchObject({ status: 200 });
  });

  test.each(["true", 1, "", [], {}])("rejects %j as a tracking setting", async (value) => {
    const { id } = await aDomain(companyId);

    for (const field of ["open_tracking", "click_tracking"])
      expect(await patch(id, { open_tracking: true, [field]: value })).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: expect.stringContaining(field) as string },
      });
    expect(await switches(id)).toEqual({ opens: false, clicks: false });
  });

  test("two concurrent requests that change one setting each both take effect", async () => {
    const { id } = await aDomain(companyId);

    const both = await db().transaction(async (tx) => {
      await tx.select().from(domains).where(eq(domains.id, id)).for("update");
      const answers = [patch(id, { open_tracking: true }), patch(id, { click_tracking: true })];
      await untilBlocked(2);
      return { answers };
    });
    await Promise.all(both.answers);

    expect(await switches(id)).toEqual({ opens: true, clicks: true });
  });

  test("returns not_found for another company's domain", async () => {
    const { id } = await aDomain((await aCompany()).id);

    expect(await patch(id, { open_tracking: true })).toMatchObject(notFound);
  });
});

test.each([
  ["reading takes API controls", [domainsApi.list, domainsApi.get], ["domains"]],
  ["changes take Domains", [domainsApi.update, domainsApi.verify], ["api_controls"]],
  ["deleting takes the owner", [domainsApi.delete], ["domains", "api_controls"]],
] as const)("%s", async (_, endpoints, privileges) => {
  const { id } = await aDomain(companyId);
  const { token } = await anApiKey(companyId, { privileges: [...privileges] });

  for (const endpoint of endpoints)
    expect(await call(endpoint, { key: token, params: { id } })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
});
