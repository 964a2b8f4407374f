import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { admins, apiKeys } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { emailsApi } from "./emails/api.ts";

type Fault = {
  status: number;
  name: string;
  company?: Parameters<typeof aCompany>[0];
  key?: Parameters<typeof anApiKey>[1];
  afterwards?: (key: { id: string; creatorId: string }) => Promise<unknown>;
  headers?: (headers: Record<string, string>) => Record<string, string>;
  query?: Record<string, string>;
};

const revoked = { status: 403, name: "invalid_api_key" };
const now = () => new Date().toISOString();

/** Every reason to reject a request, in the order in which they are checked. */
const faults: Record<string, Fault> = {
  "no key": { status: 401, name: "missing_api_key", headers: () => ({}) },
  "a malformed key": { ...revoked, headers: () => ({ authorization: "Bearer nonsense" }) },
  "an unknown key": {
    ...revoked,
    headers: () => ({ authorization: `Bearer ph_abcdefgh_${"x".repeat(32)}` }),
  },
  "a revoked key": {
    ...revoked,
    afterwards: ({ id }) =>
      db().update(apiKeys).set({ revokedAt: now() }).where(eq(apiKeys.id, id)),
  },
  "a suspended company": { ...revoked, company: { suspendedAt: now() } },
  "a disabled creator": {
    ...revoked,
    afterwards: ({ creatorId }) =>
      db().update(admins).set({ disabledAt: now() }).where(eq(admins.id, creatorId)),
  },
  "the service switched off": {
    status: 403,
    name: "service_disabled",
    company: { serviceEnabled: false },
  },
  "an address off the allow-list": {
    status: 403,
    name: "ip_not_allowed",
    company: { allowedAddresses: ["192.0.2.0/24"] },
  },
  "an overdue invoice": {
    status: 403,
    name: "account_suspended",
    company: { overdueInvoice: { number: "2026-7", paymentUrl: "https://pay.example/7" } },
  },
  "a sending key": {
    status: 401,
    name: "restricted_api_key",
    key: { permission: "sending_access" },
  },
  "a creator without the privilege": {
    status: 403,
    name: "invalid_permission",
    key: { privileges: ["domains"] },
  },
  "a wrong parameter": { status: 422, name: "validation_error", query: { limit: "0" } },
};

const merged = <T>(parts: (T | undefined)[]): Partial<T> =>
  parts.reduce<Partial<T>>((sum, part) => ({ ...sum, ...part }), {});

async function callWith(...wrong: Fault[]) {
  const company = await aCompany(merged(wrong.map((fault) => fault.company)));
  const key = await anApiKey(company.id, merged(wrong.map((fault) => fault.key)));
  for (const { afterwards } of wrong) await afterwards?.(key);
  const good = { authorization: `Bearer ${key.token}`, "x-forwarded-for": "203.0.113.9" };
  const headers = wrong.reduceRight<Record<string, string>>(
    (sum, fault) => fault.headers?.(sum) ?? sum,
    good,
  );
  const query = wrong.find((fault) => fault.query)?.query ?? {};
  return call(emailsApi.list, { headers, query });
}

describe("a request with an API key", () => {
  test("succeeds with a valid key", async () => {
    expect(await callWith()).toMatchObject({ status: 200, body: { object: "list" } });
  });

  test.each(Object.entries(faults))("is rejected for %s", async (_, fault) => {
    const { status, body } = await callWith(fault);

    expect(body).toMatchObject({ statusCode: fault.status, name: fault.name });
    expect(status).toBe(fault.status);
  });

  const pairs = Object.entries(faults).flatMap(([earlier, first], index) =>
    Object.entries(faults)
      .slice(index + 1)
      .map(([later, second]) => ({ earlier, later, first, second })),
  );
  test.each(pairs)("reports $earlier before $later", async ({ first, second }) => {
    expect(await callWith(first, second)).toMatchObject({
      status: first.status,
      body: { name: first.name },
    });
  });

  test.each([
    ["another scheme", "Basic YTpi"],
    ["the scheme alone", "Bearer"],
    ["the scheme and spaces", "Bearer   "],
    ["two keys", "Bearer a b"],
  ])("returns missing_api_key for %s", async (_, authorization) => {
    expect(await call(emailsApi.list, { headers: { authorization } })).toMatchObject({
      status: 401,
      body: { name: "missing_api_key" },
    });
  });

  test("accepts the scheme in any case", async () => {
    const { token } = await anApiKey((await aCompany()).id);

    for (const scheme of ["bearer", "BEARER"])
      expect(
        await call(emailsApi.list, { headers: { authorization: `${scheme} ${token}` } }),
      ).toMatchObject({ status: 200 });
  });

  test.each([
    ["another secret behind the same id", (token: string) => `${token.slice(0, -1)}~`],
    ["the last letter changed", (t: string) => t.slice(0, -1) + (t.endsWith("a") ? "b" : "a")],
    ["its id alone", (token: string) => token.slice(0, 11)],
    ["its capitals turned", (token: string) => token.toUpperCase()],
    ["more text behind it", (token: string) => `${token}a`],
  ])("is rejected with %s", async (_, change) => {
    const { token } = await anApiKey((await aCompany()).id);

    expect(await call(emailsApi.list, { key: change(token) })).toMatchObject({
      status: 403,
      body: { name: "invalid_api_key" },
    });
  });

  test("names the overdue invoice and the payment page", async () => {
    const { body } = await callWith(faults["an overdue invoice"]!);

    expect(body).toMatchObject({
      message: expect.stringMatching(/2026-7.*https:\/\/pay\.example\/7/) as string,
    });
  });

  test("has every privilege when the creator owns the company", async () => {
    const { id } = await aCompany();
    const key = await anApiKey(id, { privileges: [] });
    await db().update(admins).set({ isOwner: true }).where(eq(admins.id, key.creatorId));

    expect(await call(emailsApi.list, { key: key.token })).toMatchObject({ status: 200 });
  });

  test("loses a privilege as soon as its creator does", async () => {
    const { id } = await aCompany();
    const key = await anApiKey(id);
    expect(await call(emailsApi.list, { key: key.token })).toMatchObject({ status: 200 });

    await db().update(admins).set({ privileges: [] }).where(eq(admins.id, key.creatorId));

    expect(await call(emailsApi.list, { key: key.token })).toMatchObject({ status: 403 });
  });

  test("is authenticated before its body is read", async () => {
    expect(await call(emailsApi.send, { rawBody: "{" })).toMatchObject({ status: 401 });
  });

  test("needs no privilege to send, but passes every other check", async () => {
    const company = await aCompany({ serviceEnabled: false });
    const { token } = await anApiKey(company.id, { permission: "sending_access", privileges: [] });

    expect(await call(emailsApi.send, { key: token, body: {} })).toMatchObject({
      body: { name: "service_disabled" },
    });
  });
});

test("records when a key was last used, at most once a minute", async () => {
  const { id, token } = await anApiKey((await aCompany()).id);
  const lastUse = async () => {
    const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
    return key!.lastUsedAt;
  };
  expect(await lastUse()).toBeNull();

  await call(emailsApi.list, { key: token });
  const first = await lastUse();
  await call(emailsApi.list, { key: token });

  expect(first).not.toBeNull();
  expect(await lastUse()).toBe(first);
  await db().update(apiKeys).set({ lastUsedAt: "2026-01-01T00:00:00Z" }).where(eq(apiKeys.id, id));
  await call(emailsApi.list, { key: token });
  expect(Date.parse((await lastUse())!)).toBeGreaterThan(Date.parse(first!) - 1);
});

test("a rejected key does not count as used", async () => {
  const { id, token } = await anApiKey((await aCompany({ serviceEnabled: false })).id);

  await call(emailsApi.list, { key: token });

  const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
  expect(key!.lastUsedAt).toBeNull();
});
