import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { apiKeys, auditEntries } from "#drizzle/schema/index.ts";
import { hashKeyToken } from "#server/core/access/api-keys/authenticate-key.ts";
import { db } from "#server/db/pool.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";

import { apiKeysApi } from "./api-keys.ts";

describe("creating", () => {
  async function aCaller(options: Parameters<typeof anApiKey>[1] = {}) {
    const { id: companyId } = await aCompany();
    const { token: key, creatorId, id: keyId } = await anApiKey(companyId, options);
    return { companyId, key, creatorId, keyId };
  }

  async function create(key: string, body: object) {
    const answered = await call(apiKeysApi.create, { key, body });
    expect(answered).toMatchObject({ status: 200 });
    return answered.body as { id: string; object: string; token: string };
  }

  const stored = async (id: string) => {
    const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
    return key!;
  };

  describe("POST /api-keys", () => {
    test("returns id, object and the whole key, and nothing else", async () => {
      const { key } = await aCaller();

      const made = await create(key, { name: "Billing" });

      expect(made).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        object: "api_key",
        token: expect.stringMatching(/^ph_[A-Za-z0-9]{8}_[A-Za-z0-9]{32}$/) as string,
      });
    });

    test("creates a full-access key by default", async () => {
      const { key } = await aCaller();

      const { token, id } = await create(key, { name: "Billing" });

      expect(await call(emailsApi.list, { key: token })).toMatchObject({ status: 200 });
      expect(await stored(id)).toMatchObject({ permission: "full_access", domainId: null });
    });

    test("stores only the key's hash and its public prefix", async () => {
      const { key } = await aCaller();

      const { token, id } = await create(key, { name: "Billing" });

      const row = await stored(id);
      expect(row).toMatchObject({ secretHash: hashKeyToken(token), prefix: token.slice(0, 11) });
      expect(JSON.stringify(row)).not.toContain(token.slice(12));
    });

    test("creates a sending key", async () => {
      const { key } = await aCaller();

      const { token } = await create(key, { name: "Shop", permission: "sending_access" });

      expect(await call(emailsApi.list, { key: token })).toMatchObject({
        status: 401,
        body: { name: "restricted_api_key" },
      });
    });

    test("restricts a sending key to a domain with verified ownership, whatever its status", async () => {
      const { key, companyId } = await aCaller();
      const domain = await aDomain(companyId, { status: "pending" });

      const { id } = await create(key, {
        name: "Shop",
        permission: "sending_access",
        domain_id: domain.id,
      });

      expect(await stored(id)).toMatchObject({ domainId: domain.id });
    });

    test("has the same creator as the calling key, and loses privileges with them", async () => {
      const { key, creatorId } = await aCaller();

      const { id, token } = await create(key, { name: "Child" });
      const grandchild = await create(token, { name: "Grandchild" });

      expect(await stored(id)).toMatchObject({ creatorId });
      expect(await stored(grandchild.id)).toMatchObject({ creatorId });
    });

    test.each([
      ["trims the name", "  Billing \u00a0", "Billing"],
      ["takes a name of one character", "a", "a"],
      ["takes a name of 50 characters", "n".repeat(50), "n".repeat(50)],
      ["counts a name's characters after trimming", ` ${"n".repeat(50)} `, "n".repeat(50)],
      ["counts characters beyond the basic plane as one", "😀".repeat(50), "😀".repeat(50)],
    ])("%s", async (_, name, kept) => {
      const { key } = await aCaller();

      expect(await stored((await create(key, { name })).id)).toMatchObject({ name: kept });
    });

    test("accepts a name that another key has", async () => {
      const { key } = await aCaller();

      const first = await create(key, { name: "Same" });
      expect((await create(key, { name: "Same" })).id).not.toBe(first.id);
    });

    test.each([
      ["null", { permission: null, domain_id: null }],
      ["fields of other services", { scopes: ["all"], expires_in: 5 }],
    ])("treats %s in optional fields as absent", async (_, fields) => {
      const { key } = await aCaller();

      const { id } = await create(key, { name: "Billing", ...fields });
      expect(await stored(id)).toMatchObject({ permission: "full_access", domainId: null });
    });

    test("writes an audit entry with the calling key's name", async () => {
      const { key, companyId } = await aCaller();

      const { id } = await create(key, { name: "Billing" });

      const entries = await db()
        .select()
        .from(auditEntries)
        .where(eq(auditEntries.companyId, companyId));
      expect(entries.filter(({ details }) => details.keyId === id)).toEqual([
        expect.objectContaining({
          actor: "API key Test key",
          action: "api_key.created",
          details: { keyId: id, name: "Billing", permission: "full_access" },
        }),
      ]);
    });

    const missing = { status: 422, body: { name: "missing_required_field" } };
    const invalid = { status: 422, body: { name: "validation_error" } };
    test.each([
      ["no name", {}, missing],
      ["null for a name", { name: null }, missing],
      ["an empty name", { name: "" }, missing],
      ["a name of spaces", { name: " \t " }, missing],
      ["a name of 51 characters", { name: "n".repeat(51) }, invalid],
      ["a line break in the name", { name: "a\nb" }, invalid],
      ["a delete character in the name", { name: "a\u007fb" }, invalid],
      ["a NUL in the name", { name: "a\0b" }, invalid],
      ["a name that is a number", { name: 5 }, invalid],
      ["a name that is a list", { name: ["a"] }, invalid],
      // Neither may widen what the key can do.
      ["an empty permission", { name: "a", permission: "" }, invalid],
      ["an empty domain_id", sending(""), invalid],
      ["another permission", { name: "a", permission: "admin" }, invalid],
      ["a permission in capitals", { name: "a", permission: "FULL_ACCESS" }, invalid],
      ["a permission that is no text", { name: "a", permission: true }, invalid],
      ["a domain_id that is no id", sending("nonsense"), invalid],
      ["a domain_id that is a number", { ...sending(""), domain_id: 7 }, invalid],
      ["a domain_id of nothing", sending("01990000-0000-7000-8000-000000000000"), invalid],
      ["a list for a body", [], invalid],
      ["text for a body", "name", invalid],
    ])("rejects %s", async (_, body, answer) => {
      const { key, companyId } = await aCaller();

      expect(await call(apiKeysApi.create, { key, body })).toMatchObject(answer);
      expect(await db().$count(apiKeys, eq(apiKeys.companyId, companyId))).toBe(1);
    });

    test("rejects a body that is not JSON", async () => {
      const { key } = await aCaller();

      expect(await call(apiKeysApi.create, { key, rawBody: "{name" })).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "Invalid JSON body" },
      });
    });

    test("rejects domain_id for a full-access key, explicit or by default", async () => {
      const { key, companyId } = await aCaller();
      const { id } = await aDomain(companyId);

      for (const permission of ["full_access", undefined])
        expect(
          await call(apiKeysApi.create, { key, body: { name: "a", permission, domain_id: id } }),
        ).toMatchObject(invalid);
    });

    test("rejects a domain whose ownership is not verified", async () => {
      const { key, companyId } = await aCaller();
      const { id } = await aDomain(companyId, { status: "not_started", ownershipProvenAt: null });

      expect(await call(apiKeysApi.create, { key, body: sending(id) })).toMatchObject(invalid);
    });

    test("rejects another company's domain as if it did not exist", async () => {
      const { key } = await aCaller();
      const { id } = await aDomain((await aCompany()).id);

      expect(await call(apiKeysApi.create, { key, body: sending(id) })).toMatchObject(invalid);
    });

    test("rejects sending keys, and creators without the API controls privilege", async () => {
      const sender = await aCaller({ permission: "sending_access" });
      const other = await aCaller({ privileges: ["domains"] });

      expect(await call(apiKeysApi.create, { key: sender.key, body: { name: "a" } })).toMatchObject(
        {
          status: 401,
          body: { name: "restricted_api_key" },
        },
      );
      expect(await call(apiKeysApi.create, { key: other.key, body: { name: "a" } })).toMatchObject({
        status: 403,
        body: { name: "invalid_permission" },
      });
    });
  });

  function sending(domainId: string) {
    return { name: "Shop", permission: "sending_access", domain_id: domainId };
  }
});

describe("listing", () => {
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
});
