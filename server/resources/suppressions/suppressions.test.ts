import { and, eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { auditEntries, suppressions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aSuppression } from "#server/testing/factories.ts";

import { suppressionsApi } from "./api.ts";

const UUID = "0198c0de-0000-7000-8000-000000000000";
const NOT_FOUND = {
  status: 404,
  body: { statusCode: 404, name: "not_found", message: "Suppression not found" },
};

let companyId: string;
let key: string;
let otherCompanyId: string;

beforeAll(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
  otherCompanyId = (await aCompany()).id;
});

const add = (email: unknown) => call(suppressionsApi.add, { key, body: { email } });
const get = (id: string) => call(suppressionsApi.get, { key, params: { id } });
const remove = (id: string) => call(suppressionsApi.remove, { key, params: { id } });

async function added(email: string): Promise<string> {
  const { status, body } = await add(email);
  expect(body).toEqual({ object: "suppression", id: expect.any(String) as string });
  expect(status).toBe(200);
  return (body as { id: string }).id;
}

const rowsOf = (email: string) =>
  db()
    .select()
    .from(suppressions)
    .where(and(eq(suppressions.companyId, companyId), eq(suppressions.email, email)));

const auditOf = async (action: string, id: string) => {
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)));
  return entries.filter(({ details }) => details.suppressionId === id);
};

describe("POST /suppressions", () => {
  test("adds an address manually and returns all fields", async () => {
    const id = await added("hand@example.org");

    expect((await get(id)).body).toEqual({
      object: "suppression",
      id,
      email: "hand@example.org",
      origin: "manual",
      source_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/) as string,
    });
  });

  test.each([
    ["capitals", "CaPs@Example.ORG", "caps@example.org"],
    ["dots side by side", "A..b@example.org", "a..b@example.org"],
    ["a quoted local part", '"A,b"@example.org', '"a,b"@example.org'],
    ["quotes it doesn't need", '"quoted"@example.org', "quoted@example.org"],
    ["space around it", "  space@example.org ", "space@example.org"],
    ["a display name", "Ann Lee <named@example.org>", "named@example.org"],
    ["a domain beyond ASCII", "b@bücher.example", "b@xn--bcher-kva.example"],
  ])("normalizes an address given with %s", async (_, written, email) => {
    expect((await get(await added(written))).body).toMatchObject({ email });
  });

  test("returns the existing id of an address on the list and keeps its origin", async () => {
    await aSuppression(companyId, { email: "bounced@example.org", origin: "bounce" });
    const [row] = await rowsOf("bounced@example.org");

    expect(await added("Bounced@example.org")).toBe(row!.id);
    expect(await rowsOf("bounced@example.org")).toEqual([row]);
    expect(await auditOf("suppression.added", row!.id)).toEqual([]);
  });

  test("creates one row and one audit entry for 20 concurrent requests", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => added("many@example.org")));

    expect(new Set(ids).size).toBe(1);
    expect(await rowsOf("many@example.org")).toHaveLength(1);
    expect(await auditOf("suppression.added", ids[0]!)).toHaveLength(1);
  });

  test("records the key that added it in the audit log", async () => {
    const id = await added("audited@example.org");

    expect(await auditOf("suppression.added", id)).toMatchObject([
      { actor: "API key Test key", details: { suppressionId: id, email: "audited@example.org" } },
    ]);
  });

  test.each([
    ["left out", undefined],
    ["null", null],
    ["empty", ""],
    ["only space", "  "],
  ])("returns missing_required_field for an address that is %s", async (_, email) => {
    expect(await add(email)).toMatchObject({
      status: 422,
      body: { name: "missing_required_field", message: "Missing required field: email" },
    });
  });

  test.each([
    ["no address", "invalid", "email: must be a valid email address"],
    ["a comma list", "a@example.org, b@example.org", "email: must be a valid email address"],
    ["a semicolon list", "a@example.org;b@example.org", "email: must be a valid email address"],
    ["a list", ["a@example.org"], "email: must be a string, not a list"],
    ["a number", 7, "email: must be a string, not a number"],
    [
      "over 320 characters",
      `${"a".repeat(310)}@example.org`,
      "email: must be a valid email address",
    ],
    ["a line break", "a@example.org\r\nX: y", "email: must be a valid email address"],
  ])("rejects %s", async (_, email, message) => {
    expect(await add(email)).toMatchObject({
      status: 422,
      body: { name: "validation_error", message },
    });
  });

  test("rejects a body over 1 MB", async () => {
    expect(await add("a".repeat(1024 * 1024))).toMatchObject({
      status: 413,
      body: { name: "payload_too_large" },
    });
  });
});

describe("GET /suppressions/{id}", () => {
  test.each([
    ["the id", (id: string) => id],
    ["the id in capitals", (id: string) => id.toUpperCase()],
    ["the address", () => "read@example.org"],
    ["the address in capitals", () => "READ@EXAMPLE.ORG"],
  ])("finds it by %s", async (_, name) => {
    const id = await added("read@example.org");

    expect(await get(name(id))).toMatchObject({ status: 200, body: { id } });
  });

  test("returns the email that bounced", async () => {
    await aSuppression(companyId, { email: "b@example.org", origin: "bounce", sourceId: UUID });

    expect((await get("b@example.org")).body).toMatchObject({ origin: "bounce", source_id: UUID });
  });
});

describe.each([
  ["GET", get],
  ["DELETE", remove],
])("%s /suppressions/{id} returns not_found", (_, act) => {
  test.each([
    ["for an id of nothing", UUID],
    ["for a malformed id", "7"],
    ["for the reserved word", "batch"],
    ["for an address that is not on the list", "stranger@example.org"],
    ["for what is no address", "@"],
    ["for two addresses", "a@example.org,b@example.org"],
    ["for half an encoding", "%40"],
  ])("%s", async (_, name) => {
    expect(await act(name)).toEqual(expect.objectContaining(NOT_FOUND));
  });

  test("for another company's id and address, whose entry stays", async () => {
    const email = `theirs-${act.name}@example.org`;
    await aSuppression(otherCompanyId, { email });
    const mine = eq(suppressions.email, email);
    const [theirs] = await db().select().from(suppressions).where(mine);

    expect(await act(theirs!.id)).toEqual(expect.objectContaining(NOT_FOUND));
    expect(await act(email)).toEqual(expect.objectContaining(NOT_FOUND));
    expect(await db().select().from(suppressions).where(mine)).toEqual([theirs]);
  });
});

describe("DELETE /suppressions/{id}", () => {
  test.each([
    ["its id", (id: string) => id],
    ["its address", () => "Gone@Example.org"],
  ])("removes an address by %s, with an audit entry", async (_, name) => {
    const id = await added("gone@example.org");

    expect(await remove(name(id))).toMatchObject({
      status: 200,
      body: { object: "suppression", id, deleted: true },
    });
    expect(await rowsOf("gone@example.org")).toEqual([]);
    expect(await get(id)).toMatchObject(NOT_FOUND);
    expect(await auditOf("suppression.removed", id)).toMatchObject([
      {
        actor: "API key Test key",
        details: { suppressionId: id, email: "gone@example.org", origin: "manual" },
      },
    ]);
  });

  test("removes once under 20 concurrent requests", async () => {
    const id = await added("race@example.org");

    const answers = await Promise.all(Array.from({ length: 20 }, () => remove(id)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await auditOf("suppression.removed", id)).toHaveLength(1);
  });

  test("allows adding the address again, with a new id", async () => {
    const id = await added("back@example.org");
    await remove(id);

    expect(await added("back@example.org")).not.toBe(id);
  });
});

describe("requires a full-access key whose creator has API controls", () => {
  test.each([
    ["reads", suppressionsApi.get],
    ["adds", suppressionsApi.add],
    ["removes", suppressionsApi.remove],
  ])("%s", async (_, endpoint) => {
    const sending = await anApiKey(companyId, { permission: "sending_access" });
    const without = await anApiKey(companyId, { privileges: ["domains"] });
    const input = { params: { id: UUID }, body: { email: "a@example.org" } };
    const given = endpoint.method === "POST" ? { body: input.body } : { params: input.params };

    expect(await call(endpoint, { key: sending.token, ...given })).toMatchObject({
      status: 401,
      body: { name: "restricted_api_key" },
    });
    expect(await call(endpoint, { key: without.token, ...given })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});
