import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { admins, companies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { endpoints } from "./registry.ts";

/** The ids don't exist: all tested checks run before any lookup. */
const params = {
  id: "01990000-0000-7000-8000-000000000000",
  attachment_id: "01990000-0000-7000-8000-000000000001",
  event_id: "msg_01990000000070008000000000000000",
  email: "unknown@example.com",
  address: "unknown@example.com",
};

const withKey = endpoints
  .filter(({ permission }) => permission !== "public")
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

const forFullAccess = withKey.filter(([, { permission }]) => permission === "full_access");

async function aCaller(options: Parameters<typeof anApiKey>[1] = {}) {
  const company = await aCompany();
  return { companyId: company.id, ...(await anApiKey(company.id, options)) };
}

const set = (companyId: string, change: Partial<typeof companies.$inferInsert>) =>
  db().update(companies).set(change).where(eq(companies.id, companyId));

test("only the API's description and its OpenAPI document need no key", () => {
  const open = endpoints.filter(({ permission }) => permission === "public");
  expect(open.map(({ path }) => path)).toEqual(["/", "/openapi.json"]);
});

test("a sending key can only send", () => {
  const forSending = withKey.filter(([, { permission }]) => permission === "sending_access");
  for (const [name] of forSending) expect(["POST /emails", "POST /emails/batch"]).toContain(name);
});

test("test keys only reach data of their mode, and settings to read", () => {
  const isOwnMode = (path: string) => /^\/(emails|webhooks)\b(?!\/(receiving|check))/.test(path);
  for (const [name, { method, path, admitsTestKeys = false }] of forFullAccess)
    if (isOwnMode(path)) expect(admitsTestKeys, name).toBe(true);
    else if (method !== "GET") expect(admitsTestKeys, name).toBe(false);
});

test.each(forFullAccess.filter(([, { admitsTestKeys }]) => !admitsTestKeys))(
  "%s rejects test keys",
  async (_, endpoint) => {
    const { token } = await aCaller({ permission: "test" });
    expect(await call(endpoint, { params, key: token })).toMatchObject({
      status: 401,
      body: { statusCode: 401, name: "restricted_api_key" },
    });
  },
);

describe.each(withKey)("%s", (_, endpoint) => {
  test("requires a key", async () => {
    const { status, body, headers } = await call(endpoint, { params });

    expect(body).toMatchObject({ statusCode: 401, name: "missing_api_key" });
    expect(status).toBe(401);
    expect(headers.get("ratelimit-limit")).toBeNull();
  });

  test("rejects keys of a company that is suspended, turned off or overdue, or calls from another address", async () => {
    const { companyId, token } = await aCaller();
    const overdueInvoice = { number: "R-7", paymentUrl: "https://pay.example/7" };
    const states: [Partial<typeof companies.$inferInsert>, string][] = [
      [{ suspendedAt: new Date().toISOString() }, "invalid_api_key"],
      [{ suspendedAt: null, serviceEnabled: false }, "service_disabled"],
      [{ serviceEnabled: true, allowedAddresses: ["192.0.2.1"] }, "ip_not_allowed"],
      [{ allowedAddresses: [], overdueInvoice }, "account_suspended"],
    ];

    for (const [change, name] of states) {
      await set(companyId, change);
      expect(await call(endpoint, { params, key: token })).toMatchObject({
        status: 403,
        body: { statusCode: 403, name },
      });
    }
  });
});

test.each(withKey.filter(([, { permission }]) => permission !== "sending_access"))(
  "%s rejects sending keys",
  async (_, endpoint) => {
    const { token } = await aCaller({ permission: "sending_access" });
    expect(await call(endpoint, { params, key: token })).toMatchObject({
      status: 401,
      body: { statusCode: 401, name: "restricted_api_key" },
    });
  },
);

describe.each(forFullAccess)("%s", (_, endpoint) => {
  test("requires a privilege of the key's creator, which owners have", async () => {
    const { token, creatorId } = await aCaller({ privileges: [] });

    expect(await call(endpoint, { params, key: token })).toMatchObject({
      status: 403,
      body: { statusCode: 403, name: "invalid_permission" },
    });
    await db().update(admins).set({ isOwner: true }).where(eq(admins.id, creatorId));
    const { body } = await call(endpoint, { params, key: token });
    expect(body).not.toMatchObject({ name: "invalid_permission" });
  });
});
