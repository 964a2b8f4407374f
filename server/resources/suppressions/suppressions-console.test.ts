import { randomUUID } from "node:crypto";

import { desc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { auditEntries, emails, suppressions } from "#drizzle/schema/index.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aSuppression } from "#server/testing/factories.ts";

import { suppressionsConsole } from "./console.ts";

type Row = { id: string; email: string };

async function anOwner(entries: Parameters<typeof aSuppression>[1][] = []) {
  const { id: companyId } = await aCompany();
  for (const entry of entries) await aSuppression(companyId, entry);
  const cookie = await aSession(companyId);
  const page = async (endpoint: AnyEndpoint, input: { query?: Record<string, string> } | object) =>
    callFromPage(endpoint, { cookie, ...input });
  const list = async (query: Record<string, string> = {}) =>
    ((await page(suppressionsConsole.list, { query })).body as { data: Row[] }).data;
  return { companyId, cookie, page, list };
}

const stored = (companyId: string) =>
  db()
    .select()
    .from(suppressions)
    .where(eq(suppressions.companyId, companyId))
    .orderBy(suppressions.email);
const auditOf = (companyId: string) =>
  db()
    .select({ action: auditEntries.action, details: auditEntries.details })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId))
    .orderBy(desc(auditEntries.id));

const endpoints: [AnyEndpoint, body?: unknown][] = [
  [suppressionsConsole.list],
  [suppressionsConsole.export],
  [suppressionsConsole.checkList, { fileName: "", first: [], rows: [] }],
  [suppressionsConsole.importList, { fileName: "", first: [], rows: [] }],
  [suppressionsConsole.addAddresses, { addresses: [] }],
  [suppressionsConsole.remove, { ids: [] }],
  [suppressionsConsole.restore, { undo: "" }],
];
const named = endpoints.map(([endpoint, body]) => ({ name: endpoint.summary, endpoint, body }));
test.each(named)("$name requires the api_controls privilege", async ({ endpoint, body }) => {
  const { companyId } = await anOwner();
  const cookie = await aSession(companyId, ["domains", "view_audit"]);
  expect(await callFromPage(endpoint, { body })).toMatchObject({ status: 401 });
  expect(await callFromPage(endpoint, { cookie, body })).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

describe("the list", () => {
  test("can be searched by a literal part of an address and by origin", async () => {
    const { list } = await anOwner([
      { email: "ann@example.org", origin: "bounce" },
      { email: "joann_x@example.net", origin: "complaint" },
      { email: "ben%@example.org", origin: "manual" },
    ]);
    const found = async (query: Record<string, string>) =>
      (await list(query)).map(({ email }) => email.split("@")[0]);
    expect(await found({})).toEqual(["ben%", "joann_x", "ann"]);
    expect(await found({ search: "ANN" })).toEqual(["joann_x", "ann"]);
    expect(await found({ search: "%" })).toEqual(["ben%"]);
    expect(await found({ search: "n_x" })).toEqual(["joann_x"]);
    expect(await found({ search: "example.org", origin: "bounce" })).toEqual(["ann"]);
    expect(await found({ origin: "complaint" })).toEqual(["joann_x"]);
  });

  test("includes the subject of the source email unless it is another company's", async () => {
    const { companyId, page } = await anOwner();
    const email = { from: "a@example.org", to: ["b@example.org"], subject: "Your receipt" };
    const lastEvent = "bounced";
    const [own, foreign] = await db()
      .insert(emails)
      .values([
        { ...email, lastEvent, id: randomUUID(), companyId },
        { ...email, lastEvent, id: randomUUID(), companyId: (await aCompany()).id },
      ])
      .returning({ id: emails.id });
    await aSuppression(companyId, { origin: "bounce", sourceId: foreign!.id });
    await aSuppression(companyId, { origin: "bounce", sourceId: own!.id });
    expect((await page(suppressionsConsole.list, {})).body).toMatchObject({
      data: [
        { source: { id: own!.id, subject: "Your receipt" } },
        { source: { id: foreign!.id, subject: null } },
      ],
      searchedTo: null,
    });
  });

  test("contains only the company's own suppressions", async () => {
    const other = await anOwner([{}]);
    const { list, page } = await anOwner();
    expect(await list()).toEqual([]);
    const query = { after: (await other.list())[0]!.id };
    expect((await page(suppressionsConsole.list, { query })).status).toBe(422);
    expect(String((await page(suppressionsConsole.export, {})).body)).not.toContain("@");
  });

  test("is exported as CSV, however long it is", async () => {
    const { companyId, page } = await anOwner();
    const rows = Array.from({ length: 5_003 }, (_, i) => ({
      companyId,
      email: `p${i}@example.org`,
      origin: "manual" as const,
    }));
    await db().insert(suppressions).values(rows);
    await aSuppression(companyId, { email: "=z@example.org", origin: "bounce" });
    await aSuppression(companyId, { email: "z@example.net", origin: "bounce" });
    const { body } = await page(suppressionsConsole.export, { query: { search: "example.org" } });
    const [head, ...lines] = String(body).trimEnd().split("\r\n");
    expect(head).toMatch(/email,origin,source_email_id,created_at$/);
    expect(new Set(lines.map((line) => line.split(",")[0]))).toHaveLength(5_004);
    expect(lines[0]).toMatch(/^"'=z@example\.org",bounce,,20.*Z$/);
  });
});

describe("adding", () => {
  const addresses = ["Ann <ANN@Example.org>", "no address", "ben@example.org", "ann@example.org"];

  test("reports each address, keeps existing origins and is audited once", async () => {
    const { companyId, page } = await anOwner([{ email: "ben@example.org", origin: "bounce" }]);
    const body = { addresses: [...addresses, "carla@example.org"] };
    expect((await page(suppressionsConsole.addAddresses, { body })).body).toEqual({
      results: [
        { address: "ann@example.org", outcome: "added" },
        { address: null, outcome: "invalid" },
        { address: "ben@example.org", outcome: "already" },
        { address: "ann@example.org", outcome: "already" },
        { address: "carla@example.org", outcome: "added" },
      ],
    });
    expect((await stored(companyId)).map(({ email, origin }) => [email, origin])).toEqual([
      ["ann@example.org", "manual"],
      ["ben@example.org", "bounce"],
      ["carla@example.org", "manual"],
    ]);
    await page(suppressionsConsole.addAddresses, { body });
    expect(await auditOf(companyId)).toEqual([
      {
        action: "suppressions.added",
        details: { count: 2, emails: ["ann@example.org", "carla@example.org"] },
      },
    ]);
  });

  test("accepts 2,000 addresses at once and audits only their number", async () => {
    const { companyId, page } = await anOwner();
    const addresses = Array.from({ length: 2_000 }, (_, i) => `p${i}@example.org`);
    expect((await page(suppressionsConsole.addAddresses, { body: { addresses } })).status).toBe(
      200,
    );
    expect(await stored(companyId)).toHaveLength(2_000);
    expect(await auditOf(companyId)).toEqual([
      { action: "suppressions.added", details: { count: 2_000 } },
    ]);
    const tooMany = { addresses: [...addresses, "x@example.org"] };
    expect((await page(suppressionsConsole.addAddresses, { body: tooMany })).status).toBe(422);
  });

  test("adds each address once when two requests run at the same time", async () => {
    const { companyId, page } = await anOwner();
    const addresses = Array.from({ length: 300 }, (_, i) => `p${i}@example.org`);
    const answers = await Promise.all(
      [addresses, addresses.toReversed()].map((addresses) =>
        page(suppressionsConsole.addAddresses, { body: { addresses } }),
      ),
    );
    const outcomes = answers.flatMap(
      ({ body }) => (body as { results: { outcome: string }[] }).results,
    );
    expect(outcomes.filter(({ outcome }) => outcome === "added")).toHaveLength(300);
    expect(await stored(companyId)).toHaveLength(300);
  });
});

describe("importing a list", () => {
  const first = ["id", "email", "origin", "source_id", "created_at"];
  const body = {
    fileName: "export.csv",
    first,
    rows: [
      first,
      ["1", "ANN@example.org", "complaint", "", "2024-05-06T07:08:09.123Z"],
      ["2", "no address", "bounce", "", ""],
      ["3", "ben@example.org", "bounce", "", "2023-01-01"],
      ["4", "ann@example.org", "bounce", "", ""],
    ],
  };

  test("can be previewed without saving", async () => {
    const { companyId, page } = await anOwner([{ email: "ben@example.org" }]);
    await aSuppression((await aCompany()).id, { email: "ann@example.org" });
    expect((await page(suppressionsConsole.checkList, { body })).body).toEqual({
      format: "Resend",
      results: [
        { outcome: "header", address: "", origin: null, problem: null },
        { outcome: "new", address: "ann@example.org", origin: "complaint", problem: null },
        {
          outcome: "invalid",
          address: "no address",
          origin: null,
          problem: "Not a valid email address",
        },
        { outcome: "already", address: "ben@example.org", origin: "bounce", problem: null },
        { outcome: "new", address: "ann@example.org", origin: "bounce", problem: null },
      ],
    });
    expect(await stored(companyId)).toHaveLength(1);
  });

  test("keeps reasons and dates, and changes nothing the second time", async () => {
    const { companyId, page } = await anOwner([{ email: "ben@example.org" }]);
    expect((await page(suppressionsConsole.importList, { body })).body).toEqual({ added: 1 });
    const imported = await stored(companyId);
    expect(imported).toMatchObject([
      { email: "ann@example.org", origin: "complaint", createdAt: "2024-05-06 07:08:09.123+00" },
      { email: "ben@example.org", origin: "manual" },
    ]);
    expect((await page(suppressionsConsole.importList, { body })).body).toEqual({ added: 0 });
    expect(await stored(companyId)).toEqual(imported);
    expect(await auditOf(companyId)).toEqual([
      { action: "suppressions.added", details: { count: 1, emails: ["ann@example.org"] } },
    ]);
  });

  test("accepts 2,000 rows at once", async () => {
    const { companyId, page } = await anOwner();
    const rows = Array.from({ length: 2_000 }, (_, i) => [`p${i}@example.org`]);
    const list = { fileName: "bounces.txt", first: rows[0], rows };
    expect((await page(suppressionsConsole.importList, { body: list })).body).toEqual({
      added: 2_000,
    });
    expect((await stored(companyId))[0]).toMatchObject({ origin: "bounce" });
    const tooMany = { ...list, rows: [...rows, rows[0]] };
    expect((await page(suppressionsConsole.importList, { body: tooMany })).status).toBe(422);
  });
});

describe("removing", () => {
  async function removed() {
    const owner = await anOwner([
      { email: "ann@example.org", origin: "bounce", sourceId: randomUUID() },
      { email: "ben@example.org", origin: "complaint" },
      { email: "carla@example.org" },
    ]);
    const before = await stored(owner.companyId);
    const ids = before.slice(0, 2).map(({ id }) => id);
    const answer = (await owner.page(suppressionsConsole.remove, { body: { ids } })).body;
    return { ...owner, before, ids, ...(answer as { removed: number; undo: string }) };
  }

  test("removes the given suppressions, audited once; repeating it does nothing", async () => {
    const { companyId, page, ids, removed: count } = await removed();
    expect(count).toBe(2);
    expect((await stored(companyId)).map(({ email }) => email)).toEqual(["carla@example.org"]);
    expect((await page(suppressionsConsole.remove, { body: { ids } })).body).toMatchObject({
      removed: 0,
    });
    expect(await auditOf(companyId)).toEqual([
      {
        action: "suppressions.removed",
        details: { count: 2, emails: ["ann@example.org", "ben@example.org"] },
      },
    ]);
  });

  test("can be undone completely", async () => {
    const { companyId, page, before, undo } = await removed();
    expect((await page(suppressionsConsole.restore, { body: { undo } })).body).toEqual({
      restored: 2,
    });
    expect(await stored(companyId)).toEqual(before);
    expect((await page(suppressionsConsole.restore, { body: { undo } })).body).toEqual({
      restored: 0,
    });
    expect((await auditOf(companyId)).map(({ action }) => action)).toEqual([
      "suppressions.restored",
      "suppressions.removed",
    ]);
  });

  test("undo keeps addresses that were suppressed again in the meantime", async () => {
    const { companyId, page, undo } = await removed();
    await aSuppression(companyId, { email: "ann@example.org", origin: "complaint" });
    expect((await page(suppressionsConsole.restore, { body: { undo } })).body).toEqual({
      restored: 1,
    });
    expect((await stored(companyId))[0]).toMatchObject({ origin: "complaint" });
  });

  test("rejects another company's, forged and expired undo tokens", async () => {
    const { undo, companyId } = await removed();
    const other = await anOwner();
    const old = { kind: "removed_suppressions", companyId: other.companyId, until: 0, rows: [] };
    for (const token of [
      undo,
      "v1.x",
      seal("removed_suppressions", "{}"),
      seal("removed_suppressions", "no JSON"),
      seal("removed_suppressions", JSON.stringify(old)),
    ])
      expect(
        await other.page(suppressionsConsole.restore, { body: { undo: token } }),
      ).toMatchObject({
        status: 422,
        body: { message: "This can no longer be undone" },
      });
    expect(await stored(other.companyId)).toEqual([]);
    expect(await stored(companyId)).toHaveLength(1);
  });

  test("doesn't remove another company's suppressions", async () => {
    const other = await anOwner([{ email: "ann@example.org" }]);
    const { page } = await anOwner();
    const ids = (await other.list()).map(({ id }) => id);
    expect((await page(suppressionsConsole.remove, { body: { ids } })).body).toMatchObject({
      removed: 0,
    });
    expect(await other.list()).toHaveLength(1);
  });
});
