import { and, eq, inArray } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { auditEntries, suppressions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aSuppression } from "#server/testing/factories.ts";

import { suppressionsApi } from "./api.ts";

let companyId: string;
let key: string;

beforeAll(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
});

const add = (body: unknown) => call(suppressionsApi.addBatch, { key, body });
const remove = (body: unknown) => call(suppressionsApi.removeBatch, { key, body });
const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => `${name}${i}@example.org`);

async function listed(emails: string[]) {
  const rows = await db()
    .select()
    .from(suppressions)
    .where(and(eq(suppressions.companyId, companyId), inArray(suppressions.email, emails)));
  return new Map(rows.map((row) => [row.email, row]));
}

async function added(emails: string[]): Promise<string[]> {
  const { status, body } = await add({ emails });
  expect(status).toBe(200);
  return (body as { data: { id: string }[] }).data.map(({ id }) => id);
}

const refused = (message: string) => ({
  status: 422,
  body: { statusCode: 422, name: "validation_error", message },
});

const auditOf = async (action: string) =>
  (
    await db()
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)))
  ).map(({ details }) => details.email);

describe("POST /suppressions/batch/add", () => {
  test("adds addresses in the given order, each once whatever its case", async () => {
    const emails = ["z@example.org", "a@example.org", "Ann <Z@Example.org>", "m@example.org"];

    const { status, body } = await add({ emails });

    const rows = await listed(["z@example.org", "a@example.org", "m@example.org"]);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: ["z", "a", "m"].map((name) => ({
        object: "suppression",
        id: rows.get(`${name}@example.org`)!.id,
      })),
    });
  });

  test("leaves existing suppressions unchanged", async () => {
    await aSuppression(companyId, { email: "old@example.org", origin: "complaint" });
    const before = (await listed(["old@example.org"])).get("old@example.org")!;

    const [, id] = await added(["fresh@example.org", "old@example.org"]);

    expect(id).toBe(before.id);
    expect((await listed(["old@example.org"])).get("old@example.org")).toEqual(before);
    const audit = await auditOf("suppression.added");
    expect(audit).toContain("fresh@example.org");
    expect(audit).not.toContain("old@example.org");
  });

  test("accepts 1 and 100", async () => {
    expect(await added(many(1, "one"))).toHaveLength(1);
    expect(await added(many(100, "hundred"))).toHaveLength(100);
  });

  test("adds none if one is invalid, and names its index", async () => {
    const emails = ["first@example.org", "second@example.org", "invalid", "also wrong"];

    expect(await add({ emails })).toMatchObject(
      refused("Email at index 2: must be a valid email address"),
    );
    expect(await listed(emails)).toEqual(new Map());
  });

  test.each([
    ["an empty address", [""], "Email at index 0: must be a valid email address"],
    ["a number", ["a@example.org", 7], "Email at index 1: must be a string"],
    ["null", [null], "Email at index 0: must be a string"],
    ["two addresses in one text", ["a@b.example,c@d.example"], /^Email at index 0: /],
    ["no entry", [], "emails: must have at least 1 entry"],
    ["101 entries", many(101, "x"), "emails: must have at most 100 entries"],
    ["a text", "a@example.org", "emails: must be a list, not a string"],
    ["an object", {}, "emails: must be a list, not an object"],
  ])("rejects %s", async (_, emails, message) => {
    expect(await add({ emails })).toMatchObject({
      status: 422,
      body: {
        name: "validation_error",
        message: typeof message === "string" ? message : (expect.stringMatching(message) as string),
      },
    });
  });

  test.each([
    ["left out", {}],
    ["null", { emails: null }],
  ])("returns missing_required_field for emails that are %s", async (_, body) => {
    expect(await add(body)).toMatchObject({
      status: 422,
      body: { name: "missing_required_field", message: "Missing required field: emails" },
    });
  });

  test("20 concurrent requests with the same addresses in different orders create one row each", async () => {
    const emails = many(10, "both");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        added([...emails.slice(i % 10), ...emails.slice(0, i % 10)]),
      ),
    );

    expect(new Set(answers.flat()).size).toBe(10);
    expect(await listed(emails)).toHaveProperty("size", 10);
  });
});

describe("POST /suppressions/batch/remove", () => {
  test.each(["emails", "ids"])(
    "removes the suppressions named by %s and ignores unknown ones",
    async (kind) => {
      const emails = [`one-${kind}@example.org`, `two-${kind}@example.org`];
      const ids = await added(emails);
      const [one, two] = kind === "ids" ? ids : emails;
      const unknown =
        kind === "ids"
          ? ["0198c0de-0000-7000-8000-000000000000", "no id at all", ""]
          : ["stranger@example.org"];

      const answer = await remove({ [kind]: [two, ...unknown, one, two!.toUpperCase()] });

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        data: [ids[1], ids[0]].map((id) => ({ object: "suppression", id, deleted: true })),
      });
      expect(await listed(emails)).toEqual(new Map());
      expect(await auditOf("suppression.removed")).toEqual(expect.arrayContaining(emails));
    },
  );

  test("returns an empty list if none is known", async () => {
    expect(await remove({ emails: ["stranger@example.org"] })).toMatchObject({
      status: 200,
      body: { data: [] },
    });
  });

  test("ignores another company's ids and addresses", async () => {
    const { id: other } = await aCompany();
    await aSuppression(other, { email: "theirs@example.org" });
    const theirs = () => db().select().from(suppressions).where(eq(suppressions.companyId, other));
    const [row] = await theirs();

    for (const body of [{ ids: [row!.id] }, { emails: [row!.email] }])
      expect(await remove(body)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await theirs()).toEqual([row]);
  });

  test("accepts 100", async () => {
    const emails = many(100, "off");
    await added(emails);

    expect((await remove({ emails })).body).toHaveProperty("data.length", 100);
  });

  const EITHER = "Provide either emails or ids";
  test.each([
    ["neither", {}, EITHER],
    ["both", { emails: ["a@example.org"], ids: ["x"] }, EITHER],
    [
      "null beside emails",
      { emails: ["a@example.org"], ids: null },
      "ids: must be a list, not null",
    ],
    ["null alone", { emails: null }, "emails: must be a list, not null"],
    ["no emails", { emails: [] }, "emails: must have at least 1 entry"],
    ["no ids", { ids: [] }, "ids: must have at least 1 entry"],
    ["101 emails", { emails: many(101, "x") }, "emails: must have at most 100 entries"],
    ["101 ids", { ids: many(101, "x") }, "ids: must have at most 100 entries"],
    ["an id that is a number", { ids: ["x", 7] }, "Id at index 1: must be a string"],
    [
      "what is no address",
      { emails: ["a@example.org", "b"] },
      /^Email at index 1: must be a valid email address$/,
    ],
  ])("rejects %s", async (_, body, message) => {
    const answer = await remove(body);

    expect(answer).toMatchObject({ status: 422, body: { name: "validation_error" } });
    if (typeof message === "string") expect(answer).toMatchObject(refused(message));
    else expect((answer.body as { message: string }).message).toMatch(message);
  });
});

test.each([suppressionsApi.addBatch, suppressionsApi.removeBatch])(
  "$path requires full access and API controls",
  async (endpoint) => {
    const body = { emails: ["a@example.org"] };
    const sending = await anApiKey(companyId, { permission: "sending_access" });
    const without = await anApiKey(companyId, { privileges: ["domains"] });

    expect(await call(endpoint, { key: sending.token, body })).toMatchObject({
      status: 401,
      body: { name: "restricted_api_key" },
    });
    expect(await call(endpoint, { key: without.token, body })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  },
);
