import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { apiKeys, auditEntries } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { apiKeysApi } from "./api-keys.ts";

const absent = { status: 404, body: { name: "not_found", message: "API key not found" } };

async function twoKeys() {
  const { id: companyId } = await aCompany();
  const caller = await anApiKey(companyId);
  const other = await anApiKey(companyId, {
    creatorId: caller.creatorId,
    permission: "sending_access",
  });
  return { companyId, key: caller.token, own: caller.id, id: other.id, token: other.token };
}

const stored = async (id: string) => {
  const [key] = await db().select().from(apiKeys).where(eq(apiKeys.id, id));
  return key!;
};

describe("PATCH /api-keys/{id}", () => {
  test("renames the key, trims the name, and changes nothing else", async () => {
    const { key, id } = await twoKeys();
    const before = await stored(id);

    const answered = await call(apiKeysApi.update, {
      key,
      params: { id },
      body: { name: " New " },
    });

    expect(answered).toMatchObject({ status: 200 });
    expect(answered.body).toEqual({ object: "api_key", id });
    expect(await stored(id)).toEqual({ ...before, name: "New" });
  });

  test("can rename the calling key", async () => {
    const { key, own } = await twoKeys();

    await call(apiKeysApi.update, { key, params: { id: own }, body: { name: "Me" } });

    const { body } = await call(apiKeysApi.list, { key });
    expect((body as { data: object[] }).data).toContainEqual(
      expect.objectContaining({ id: own, name: "Me" }),
    );
  });

  test("finds a key by an uppercase id", async () => {
    const { key, id } = await twoKeys();

    expect(
      await call(apiKeysApi.update, {
        key,
        params: { id: id.toUpperCase() },
        body: { name: "New" },
      }),
    ).toMatchObject({ status: 200, body: { id } });
  });

  test("writes an audit entry with the calling key's name", async () => {
    const { key, id, companyId } = await twoKeys();

    await call(apiKeysApi.update, { key, params: { id }, body: { name: "New" } });

    const entries = await db()
      .select()
      .from(auditEntries)
      .where(
        and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, "api_key.renamed")),
      );
    expect(entries).toEqual([
      expect.objectContaining({
        actor: "API key Test key",
        details: { keyId: id, from: "Test key", to: "New" },
      }),
    ]);
  });

  test.each([
    ["no name", {}],
    ["null for a name", { name: null }],
    ["an empty name", { name: "" }],
    ["a name of spaces", { name: "  " }],
    ["a name of 51 characters", { name: "n".repeat(51) }],
    ["a control character in the name", { name: "a\u0085b" }],
    ["a name that is a number", { name: 7 }],
    ["a list for a body", []],
  ])("rejects %s with validation_error", async (_, body) => {
    const { key, id } = await twoKeys();

    expect(await call(apiKeysApi.update, { key, params: { id }, body })).toMatchObject({
      status: 422,
      body: { statusCode: 422, name: "validation_error" },
    });
    expect(await stored(id)).toMatchObject({ name: "Test key" });
  });

  test.each([
    ["an id of nothing", "01990000-0000-7000-8000-000000000000"],
    ["no id at all", "nonsense"],
  ])("returns not_found for %s", async (_, id) => {
    const { key } = await twoKeys();

    expect(
      await call(apiKeysApi.update, { key, params: { id }, body: { name: "a" } }),
    ).toMatchObject(absent);
  });

  test("returns not_found for a revoked key, and for the secret instead of the id", async () => {
    const { key, id, token } = await twoKeys();
    await call(apiKeysApi.delete, { key, params: { id } });

    for (const named of [id, token])
      expect(
        await call(apiKeysApi.update, { key, params: { id: named }, body: { name: "a" } }),
      ).toMatchObject(absent);
  });

  test("returns not_found for another company's key and leaves it unchanged", async () => {
    const { key } = await twoKeys();
    const { id } = await twoKeys();

    expect(
      await call(apiKeysApi.update, { key, params: { id }, body: { name: "Mine" } }),
    ).toMatchObject(absent);
    expect(await stored(id)).toMatchObject({ name: "Test key" });
  });

  test("rejects sending keys, and creators without the API controls privilege", async () => {
    const { id, token, companyId } = await twoKeys();
    const other = await anApiKey(companyId, { privileges: [] });

    for (const [key, status, name] of [
      [token, 401, "restricted_api_key"],
      [other.token, 403, "invalid_permission"],
    ] as const)
      expect(
        await call(apiKeysApi.update, { key, params: { id }, body: { name: "a" } }),
      ).toMatchObject({
        status,
        body: { name },
      });
  });
});
