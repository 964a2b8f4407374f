import { beforeAll, describe, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aSuppression } from "#server/testing/factories.ts";

import { suppressionsApi } from "./api.ts";

type Listed = { has_more: boolean; data: { id: string; email: string; origin: string }[] };

let key: string;
/** Newest first; every third bounced. */
let emails: string[];

async function aList(count: number) {
  const { id: companyId } = await aCompany();
  const names = Array.from({ length: count }, (_, i) => `n${i}@example.org`);
  for (const [i, email] of names.entries())
    await aSuppression(companyId, { email, origin: i % 3 === 0 ? "bounce" : "manual" });
  return { key: (await anApiKey(companyId)).token, emails: names.toReversed() };
}

beforeAll(async () => {
  ({ key, emails } = await aList(25));
});

async function page(query: Record<string, string>, as = key) {
  const { status, body } = await call(suppressionsApi.list, { key: as, query });
  expect(status).toBe(200);
  const { data, has_more: hasMore } = body as Listed;
  return { emails: data.map(({ email }) => email), ids: data.map(({ id }) => id), hasMore };
}

const idsOf = async () => (await page({ limit: "100" })).ids;

describe("GET /suppressions", () => {
  test("lists newest first, 20 by default", async () => {
    expect(await page({})).toMatchObject({ emails: emails.slice(0, 20), hasMore: true });
  });

  test("returns every field of a suppression", async () => {
    const { body } = await call(suppressionsApi.list, { key, query: { limit: "1" } });

    expect(body).toEqual({
      object: "list",
      has_more: true,
      data: [
        {
          object: "suppression",
          id: expect.any(String) as string,
          email: "n24@example.org",
          origin: "bounce",
          source_id: null,
          created_at: expect.stringMatching(/^[\d-]+ [\d:]+\.\d{6}\+00$/) as string,
        },
      ],
    });
  });

  test("pages forward with after, each once", async () => {
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more;) {
      const next = await page({ limit: "7", ...(after && { after }) });
      seen.push(...next.emails);
      after = next.ids.at(-1)!;
      more = next.hasMore;
    }
    expect(seen).toEqual(emails);
  });

  test("pages backward with before, in list order", async () => {
    const ids = await idsOf();

    expect(await page({ before: ids[10]!, limit: "4" })).toMatchObject({
      emails: emails.slice(6, 10),
      hasMore: true,
    });
    expect(await page({ before: ids[3]!, limit: "4" })).toMatchObject({
      emails: emails.slice(0, 3),
      hasMore: false,
    });
  });

  test("filters by origin, also while paging", async () => {
    const bounced = emails.filter((_, i) => (24 - i) % 3 === 0);
    const first = await page({ origin: "bounce", limit: "5" });

    expect(first).toMatchObject({ emails: bounced.slice(0, 5), hasMore: true });
    expect(await page({ origin: "bounce", after: first.ids.at(-1)! })).toMatchObject({
      emails: bounced.slice(5),
      hasMore: false,
    });
    expect(await page({ origin: "complaint" })).toMatchObject({ emails: [], hasMore: false });
  });

  test("never shows another company's suppressions or accepts them as cursors", async () => {
    const other = await aList(1);
    const [id] = await idsOf();

    expect((await page({}, other.key)).emails).toEqual(other.emails);
    for (const cursor of ["after", "before"])
      expect(
        await call(suppressionsApi.list, { key: other.key, query: { [cursor]: id! } }),
      ).toMatchObject({
        status: 422,
        body: { name: "validation_error", message: "Invalid pagination cursor" },
      });
  });

  const uuid = "01990000-0000-7000-8000-000000000000";
  const cursorProblem = "Invalid pagination cursor";
  test.each([
    ["limit 0", [["limit", "0"]], /^limit: /],
    ["limit 101", [["limit", "101"]], /^limit: /],
    ["a limit that is no number", [["limit", "ten"]], /^limit: /],
    [
      "both cursors",
      [
        ["after", uuid],
        ["before", uuid],
      ],
      "Use either after or before, not both",
    ],
    ["a cursor that is no id", [["after", "n1@example.org"]], cursorProblem],
    ["an id of nothing", [["before", uuid]], cursorProblem],
    ["an unknown origin", [["origin", "spam"]], /^origin: /],
    ["an empty origin", [["origin", ""]], /^origin: /],
    [
      "origin twice",
      [
        ["origin", "bounce"],
        ["origin", "manual"],
      ],
      /^origin: /,
    ],
  ] as [string, [string, string][], string | RegExp][])("rejects %s", async (_, query, message) => {
    expect(await call(suppressionsApi.list, { key, query })).toMatchObject({
      status: 422,
      body: {
        name: "validation_error",
        message: typeof message === "string" ? message : (expect.stringMatching(message) as string),
      },
    });
  });

  test("rejects a cursor with another origin", async () => {
    const manual = await page({ origin: "manual", limit: "1" });

    expect(
      await call(suppressionsApi.list, { key, query: { origin: "bounce", after: manual.ids[0]! } }),
    ).toMatchObject({ status: 422, body: { message: cursorProblem } });
  });

  test("requires full access and API controls", async () => {
    const { id } = await aCompany();
    const sending = await anApiKey(id, { permission: "sending_access" });
    const without = await anApiKey(id, { privileges: [] });

    expect(await call(suppressionsApi.list, { key: sending.token })).toMatchObject({
      status: 401,
      body: { name: "restricted_api_key" },
    });
    expect(await call(suppressionsApi.list, { key: without.token })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});
