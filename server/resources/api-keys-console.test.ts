import { randomUUID } from "node:crypto";

import { and, desc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { admins, apiKeys, auditEntries, emails } from "#drizzle/schema/index.ts";
import { authenticateKey } from "#server/core/access/api-keys/authenticate-key.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { anOwnersSession } from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { apiKeysConsole } from "./api-keys.ts";

const FIELDS = {
  name: "Shop",
  permission: "full_access",
  domainId: null,
  allowedAddresses: [],
};
const endpoints: [AnyEndpoint, body?: unknown][] = [
  [apiKeysConsole.list],
  [apiKeysConsole.create, FIELDS],
  [apiKeysConsole.getChoices],
  [apiKeysConsole.get],
  [apiKeysConsole.update, { name: "x", allowedAddresses: [] }],
  [apiKeysConsole.revoke],
];

async function anOwner() {
  const { id: companyId } = await aCompany();
  const admin = await anAdmin(companyId, { privileges: ["api_controls"], name: "Ann Lee" });
  const cookie = (await startSession(db(), admin.id)).split(";")[0]!;
  return { companyId, admin, cookie, key: await anApiKey(companyId, { creatorId: admin.id }) };
}

type Created = { id: string; token: string };

const lastAudit = async (companyId: string) =>
  (
    await db()
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.companyId, companyId))
      .orderBy(desc(auditEntries.id))
      .limit(1)
  )[0];

const named = (list: typeof endpoints) =>
  list.map(([endpoint, body]) => ({ name: endpoint.path, endpoint, body }));

describe.each(named(endpoints))("$name", ({ endpoint, body }) => {
  test("requires the api_controls privilege", async () => {
    const { companyId, key } = await anOwner();
    const params = { id: key.id };
    expect(await callFromPage(endpoint, { params, body })).toMatchObject({ status: 401 });
    const cookie = await aSession(companyId, ["domains", "manage_admins"]);
    expect(await callFromPage(endpoint, { cookie, params, body })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});

test.each(named(endpoints.slice(3)))(
  "$name returns 404 for another company's key",
  async ({ endpoint, body }) => {
    const { cookie } = await anOwner();
    const { key } = await anOwner();
    for (const id of [key.id, randomUUID(), "17"])
      expect(await callFromPage(endpoint, { cookie, params: { id }, body })).toMatchObject({
        status: 404,
        body: { message: "API key not found" },
      });
    const [still] = await db().select().from(apiKeys).where(eq(apiKeys.id, key.id));
    expect(still).toMatchObject({ name: "Test key", revokedAt: null });
  },
);

test("a created key has its creator's privileges and its own allow-list", async () => {
  const { companyId, admin, cookie } = await anOwner();
  const domain = await aDomain(companyId);
  const body = {
    name: " Shop ",
    permission: "sending_access",
    domainId: domain.id,
    allowedAddresses: [" 192.0.2.9/24", "2001:DB8::1", "192.0.2.0/24"],
  };
  const created = (await callFromPage(apiKeysConsole.create, { cookie, body })).body as Created;
  expect(created.token).toMatch(/^ph_/);
  expect(
    await callFromPage(apiKeysConsole.get, { cookie, params: { id: created.id } }),
  ).toMatchObject({
    status: 200,
    body: {
      name: "Shop",
      permission: "sending_access",
      domain: domain.name,
      scheduled: 0,
      prefix: created.token.slice(0, 11),
      allowedAddresses: ["192.0.2.0/24", "2001:db8::1"],
      creator: { id: admin.id, name: "Ann Lee", email: admin.email, isDisabled: false },
      effectivePrivileges: { isOwner: false, privileges: ["API controls"] },
      lastUsedAt: null,
      revokedAt: null,
    },
  });
  const entry = await lastAudit(companyId);
  expect(entry).toMatchObject({ action: "api_key.created", actor: admin.email });
  expect(JSON.stringify(entry!.details)).not.toContain(created.token);
});

test.each([
  ["no name", { name: " " }, /^name must be 1 to 50/],
  [
    "a domain with full access",
    { domainId: randomUUID() },
    /can only restrict a key with sending_access/,
  ],
  ["an unknown domain", { domainId: "x", permission: "sending_access" }, /no such domain/],
  ["an empty domain", { domainId: "", permission: "sending_access" }, /no such domain/],
  ["an invalid address", { allowedAddresses: ["192.0.2.1", "10.1/8"] }, /^"10\.1\/8" is neither/],
  [
    "several invalid addresses",
    { allowedAddresses: ["10.1/8", "192.0.2.1", "x"] },
    /^"10\.1\/8", "x" are neither IP addresses nor CIDR ranges$/,
  ],
  ["too many addresses", { allowedAddresses: Array(201).fill("192.0.2.1") }, /at most 200/],
])("rejects %s", async (_, wrong, message) => {
  const { companyId, cookie } = await anOwner();
  const answer = await callFromPage(apiKeysConsole.create, {
    cookie,
    body: { ...FIELDS, ...wrong },
  });
  expect(answer).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(message) as string },
  });
  expect(await db().$count(apiKeys, eq(apiKeys.companyId, companyId))).toBe(1);
});

test("rejects another company's domain and doesn't offer it", async () => {
  const { companyId, cookie } = await anOwner();
  const own = await aDomain(companyId);
  await aDomain(companyId, { ownershipProvenAt: null });
  const foreign = await aDomain((await aCompany()).id);
  const { body } = await callFromPage(apiKeysConsole.getChoices, { cookie });
  expect(body).toEqual({
    domains: [{ id: own.id, name: own.name }],
    companyAddresses: [],
    yourAddress: "127.0.0.1",
  });
  const fields = { ...FIELDS, permission: "sending_access", domainId: foreign.id };
  expect((await callFromPage(apiKeysConsole.create, { cookie, body: fields })).status).toBe(422);
});

test("changes to the name and allow-list are audited and apply to the next request", async () => {
  const { companyId, cookie, key } = await anOwner();
  const params = { id: key.id };
  const use = () => authenticateKey(db(), { token: key.token, address: "192.0.2.1" });
  const body = { allowedAddresses: ["203.0.113.7"] };
  expect(await use()).toMatchObject({ keyId: key.id });
  expect((await callFromPage(apiKeysConsole.update, { cookie, params, body })).status).toBe(200);
  await expect(use()).rejects.toMatchObject({ reason: "ip_not_allowed" });
  expect(await lastAudit(companyId)).toMatchObject({
    action: "api_key.allowed_addresses_changed",
    details: { keyId: key.id, name: "Test key", from: [], to: ["203.0.113.7"] },
  });
  await callFromPage(apiKeysConsole.update, { cookie, params, body: { name: "Till" } });
  expect(await lastAudit(companyId)).toMatchObject({ action: "api_key.renamed" });
  expect(await callFromPage(apiKeysConsole.get, { cookie, params })).toMatchObject({
    body: { name: "Till", ...body },
  });
});

test("permission and domain change at once, and only the creator or an owner widens a key to full access", async () => {
  const { companyId, admin, cookie, key } = await anOwner();
  const domain = await aDomain(companyId);
  const params = { id: key.id };
  const update = (body: object, as = cookie) =>
    callFromPage(apiKeysConsole.update, { cookie: as, params, body });
  const use = () => authenticateKey(db(), { token: key.token, address: "192.0.2.1" });
  const narrow = { permission: "sending_access", domainId: domain.id };
  expect((await update(narrow)).status).toBe(200);
  expect(await use()).toMatchObject(narrow);
  expect(await lastAudit(companyId)).toMatchObject({
    action: "api_key.access_changed",
    actor: admin.email,
    details: {
      name: "Test key",
      permission: { from: "full_access", to: "sending_access" },
      domainId: { from: null, to: domain.id },
    },
  });
  expect(await update({ permission: "full_access" })).toMatchObject({ status: 422 });
  const foreign = await aDomain((await aCompany()).id);
  expect(await update({ domainId: foreign.id })).toMatchObject({ status: 422 });
  expect(await update({ permission: "test", domainId: null })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining("between test and live") as string },
  });

  const wide = { permission: "full_access", domainId: null };
  const colleague = await aSession(companyId);
  expect(await update(wide, colleague)).toMatchObject({ status: 403 });
  expect(await update({ domainId: null }, colleague)).toMatchObject({ status: 200 });
  expect(await use()).toMatchObject({ permission: "sending_access", domainId: null });
  expect((await update(wide, await anOwnersSession(companyId))).status).toBe(200);
  await update(narrow);
  expect((await update(wide)).status).toBe(200);
  expect(await use()).toMatchObject(wide);
});

test("revoking rejects the key immediately and cancels its scheduled emails", async () => {
  const { companyId, cookie, key } = await anOwner();
  const due = new Date(Date.now() + 3_600_000).toISOString();
  const email = {
    companyId,
    apiKeyId: key.id,
    from: "a@example.org",
    to: ["b@example.org"],
    subject: "Hello",
  };
  await db()
    .insert(emails)
    .values([
      { ...email, id: randomUUID(), lastEvent: "scheduled", scheduledAt: due, dueAt: due },
      { ...email, id: randomUUID(), lastEvent: "sent" },
    ]);
  const params = { id: key.id };
  expect(await callFromPage(apiKeysConsole.get, { cookie, params })).toMatchObject({
    body: { scheduled: 1 },
  });
  expect((await callFromPage(apiKeysConsole.revoke, { cookie, params })).status).toBe(200);
  const use = authenticateKey(db(), { token: key.token, address: "192.0.2.1" });
  await expect(use).rejects.toMatchObject({ reason: "invalid_api_key" });
  const canceled = and(eq(emails.companyId, companyId), eq(emails.lastEvent, "canceled"));
  expect(await db().$count(emails, canceled)).toBe(1);
  expect(await callFromPage(apiKeysConsole.get, { cookie, params })).toMatchObject({
    body: { scheduled: 0, revokedAt: expect.any(String) as string },
  });

  const list = async (query: Record<string, string>) =>
    (await callFromPage(apiKeysConsole.list, { cookie, query })).body as { data: { id: string }[] };
  expect((await list({})).data).toEqual([]);
  expect((await list({ state: "revoked" })).data.map(({ id }) => id)).toEqual([key.id]);
  expect((await callFromPage(apiKeysConsole.revoke, { cookie, params })).status).toBe(404);
  expect(
    (await callFromPage(apiKeysConsole.update, { cookie, params, body: { name: "x" } })).status,
  ).toBe(404);
});

test("lists the company's own keys and marks those of disabled admins", async () => {
  const other = await anOwner();
  const { admin, cookie, key } = await anOwner();
  await db().update(admins).set({ disabledAt: "now" }).where(eq(admins.id, admin.id));
  const reader = await aSession(admin.companyId);
  const { body } = await callFromPage(apiKeysConsole.list, { cookie: reader });
  expect((body as { data: unknown[] }).data).toMatchObject([
    { id: key.id, creator: { id: admin.id, isDisabled: true } },
  ]);
  const query = { after: other.key.id };
  expect((await callFromPage(apiKeysConsole.list, { cookie: reader, query })).status).toBe(422);
  expect((await callFromPage(apiKeysConsole.list, { cookie })).status).toBe(401);
});
