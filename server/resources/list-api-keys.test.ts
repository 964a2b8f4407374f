import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { apiKeys } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";

import { apiKeysApi } from "./api-keys.ts";

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/;

/** A company with `count` keys: their ids, newest first, and the token of the first. */
async function aCompanyWithKeys(count: number) {
  const { id: companyId } = await aCompany();
  const first = await anApiKey(companyId);
  const ids = [first.id];
  for (let i = 1; i < count; i++)
    ids.unshift((await anApiKey(companyId, { creatorId: first.creatorId })).id);
  return { companyId, key: first.token, creatorId: first.creatorId, ids };
}

type Listed = { has_more: boolean; data: Record<string, unknown>[] };
let company: Awaited<ReturnType<typeof aCompanyWithKeys>>;

beforeAll(async () => {
  company = await aCompanyWithKeys(23);
});

async function page(query: Record<string, string>, key = company.key) {
  const { status, body } = await call(apiKeysApi.list, { key, query });
  expect(status).toBe(200);
  const { has_more: hasMore, data } = body as Listed;
  return { ids: data.map(({ id }) => id), hasMore };
}

describe("GET /api-keys", () => {
  test("lists keys newest first, 20 by default", async () => {
    expect(await page({})).toEqual({ ids: company.ids.slice(0, 20), hasMore: true });
  });

  test("returns exactly the documented fields and no part of a secret", async () => {
    const { companyId, key, creatorId, ids } = await aCompanyWithKeys(1);
    const domain = await aDomain(companyId);
    const sending = await anApiKey(companyId, {
      creatorId,
      permission: "sending_access",
      domainId: domain.id,
    });

    const { body } = await call(apiKeysApi.list, { key });

    expect(body).toEqual({
      object: "list",
      has_more: false,
      data: [
        {
          id: sending.id,
          name: "Test key",
          permission: "sending_access",
          domain_id: domain.id,
          created_at: expect.stringMatching(TIMESTAMP) as string,
          last_used_at: null,
        },
        {
          id: ids[0],
          name: "Test key",
          permission: "full_access",
          domain_id: null,
          created_at: expect.stringMatching(TIMESTAMP) as string,
          last_used_at: expect.stringMatching(TIMESTAMP) as string,
        },
      ],
    });
  });

  test("accepts a limit of 1 and of 100", async () => {
    expect(await page({ limit: "1" })).toEqual({ ids: company.ids.slice(0, 1), hasMore: true });
    expect(await page({ limit: "100" })).toEqual({ ids: company.ids, hasMore: false });
  });

  test("pages forward with after, each key once", async () => {
    const seen: unknown[] = [];
    let next = await page({ limit: "5" });
    seen.push(...next.ids);
    while (next.hasMore) {
      next = await page({ limit: "5", after: String(next.ids.at(-1)) });
      seen.push(...next.ids);
    }
    expect(seen).toEqual(company.ids);
  });

  test("pages backward with before, in list order", async () => {
    const { ids } = company;

    expect(await page({ before: ids[10]!, limit: "4" })).toEqual({
      ids: ids.slice(6, 10),
      hasMore: true,
    });
    expect(await page({ before: ids[2]!, limit: "4" })).toEqual({
      ids: ids.slice(0, 2),
      hasMore: false,
    });
  });

  test("pages through keys created at the same moment, each once", async () => {
    const { companyId, key, ids } = await aCompanyWithKeys(5);
    await db()
      .update(apiKeys)
      .set({ createdAt: "2026-01-01T00:00:00Z" })
      .where(eq(apiKeys.companyId, companyId));

    const first = await page({ limit: "2" }, key);
    const second = await page({ limit: "3", after: String(first.ids[1]) }, key);

    expect([...first.ids, ...second.ids]).toEqual(ids);
    expect(await page({ limit: "2", before: String(second.ids[0]) }, key)).toEqual({
      ids: first.ids,
      hasMore: false,
    });
  });

  test("omits revoked keys and rejects them as cursors", async () => {
    const { key, ids } = await aCompanyWithKeys(3);
    await call(apiKeysApi.delete, { key, params: { id: ids[1]! } });

    expect(await page({}, key)).toEqual({ ids: [ids[0], ids[2]], hasMore: false });
    for (const cursor of ["after", "before"])
      expect(await call(apiKeysApi.list, { key, query: { [cursor]: ids[1]! } })).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "Invalid pagination cursor" },
      });
  });

  test("omits another company's keys and rejects them as cursors", async () => {
    const other = await aCompanyWithKeys(1);

    expect((await page({}, other.key)).ids).toEqual(other.ids);
    for (const cursor of ["after", "before"])
      expect(
        await call(apiKeysApi.list, { key: other.key, query: { [cursor]: company.ids[0]! } }),
      ).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "Invalid pagination cursor" },
      });
  });

  const uuid = "01990000-0000-7000-8000-000000000000";
  test.each([
    ["limit 0", { limit: "0" }],
    ["limit 101", { limit: "101" }],
    ["a limit that is no number", { limit: "ten" }],
    ["both cursors", { after: uuid, before: uuid }],
    ["a cursor that is no id", { after: "abc" }],
    ["an id of nothing", { before: uuid }],
  ] as [string, Record<string, string>][])("rejects %s", async (_, query) => {
    expect(await call(apiKeysApi.list, { key: company.key, query })).toMatchObject({
      status: 422,
      body: { statusCode: 422, name: "validation_error" },
    });
  });

  test("rejects sending keys, and creators without the API controls privilege", async () => {
    const { companyId } = company;
    const sending = await anApiKey(companyId, { permission: "sending_access" });
    const other = await anApiKey(companyId, { privileges: ["manage_admins"] });

    expect(await call(apiKeysApi.list, { key: sending.token })).toMatchObject({
      status: 401,
      body: { name: "restricted_api_key" },
    });
    expect(await call(apiKeysApi.list, { key: other.token })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});
