import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, test } from "vitest";

import { requestLog } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { logsConsole } from "./logs.ts";

type Listed = { data: { id: string; path: string }[]; newest: string; hasMore: boolean };

let companyId: string;
let cookie: string;
let keyId: string;
let ids: string[];

const requests = [
  { method: "POST", endpoint: "/emails", responseStatus: 200, userAgent: "resend-node:6.1" },
  { method: "POST", endpoint: "/emails/batch", responseStatus: 422, error: "validation_error" },
  { method: "GET", endpoint: "/emails/17", responseStatus: 404, error: "not_found" },
  { method: "GET", endpoint: "/domains", responseStatus: 500, error: "application_error" },
  { method: "DELETE", endpoint: "/100%_/x", responseStatus: 429, error: "rate_limit_exceeded" },
];

beforeAll(async () => {
  companyId = (await aCompany()).id;
  cookie = await aSession(companyId);
  keyId = (await anApiKey(companyId)).id;
  const rows = await db()
    .insert(requestLog)
    .values(
      requests.map((request, i) => ({
        companyId,
        ...request,
        apiKeyId: i === 0 ? keyId : null,
        createdAt: `2026-03-02 09:0${i}:00+00`,
      })),
    )
    .returning({ id: requestLog.id });
  ids = rows.map(({ id }) => id);
});

const list = async (query: Record<string, string>) => {
  const { status, body } = await callFromPage(logsConsole.list, { cookie, query });
  expect(status).toBe(200);
  return body as Listed;
};
const NEWEST_FIRST = [4, 3, 2, 1, 0];

test.each<[Record<string, string>, number[]]>([
  [{}, NEWEST_FIRST],
  [{ status: "2xx" }, [0]],
  [{ status: "4xx" }, [4, 2, 1]],
  [{ status: "5xx" }, [3]],
  [{ status: "422" }, [1]],
  [{ method: "GET" }, [3, 2]],
  [{ endpoint: "/emails" }, [2, 1, 0]],
  [{ endpoint: "/emails/" }, [2, 1]],
  [{ endpoint: "/100%_" }, [4]],
  [{ endpoint: "_" }, []],
  [{ userAgent: "NODE" }, [0]],
  [{ userAgent: "%" }, []],
  [{ from: "2026-03-02T09:03:00Z" }, [4, 3]],
  [{ to: "2026-03-02T10:01:00+01:00" }, [0]],
  [{ from: "2026-03-02T09:01:00Z", to: "2026-03-02T09:03:00Z", status: "4xx" }, [2, 1]],
])("the filter %j matches requests %j", async (filters, expected) => {
  expect((await list(filters)).data.map(({ id }) => ids.indexOf(id))).toEqual(expected);
});

test("requests name their API key and can be filtered by it", async () => {
  const { data } = await list({ apiKey: keyId });
  expect(data).toMatchObject([
    { path: "/emails", status: 200, apiKey: { id: keyId, name: "Test key" } },
  ]);
  expect((await list({ apiKey: randomUUID() })).data).toEqual([]);
});

test("`newest` can be used as `before` to list only newer requests", async () => {
  const { newest } = await list({ status: "2xx" });
  expect(newest).toBe(ids[4]);
  expect((await list({ before: newest })).data).toEqual([]);
  const since = await list({ before: ids[2]!, status: "4xx", to: "2026-03-02T09:02:00Z" });
  expect(since.data).toEqual([]);
  expect((await list({ before: ids[2]!, status: "4xx" })).data).toMatchObject([{ id: ids[4] }]);
});

test("pages continue where the previous one ended", async () => {
  const first = await list({ limit: "2" });
  expect(first).toMatchObject({ hasMore: true, searchedTo: null });
  const second = await list({ limit: "2", after: first.data[1]!.id });
  expect(second.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
});

test.each<Record<string, string>>([
  { status: "9xx" },
  { status: "42" },
  { method: "PUT" },
  { from: "yesterday" },
  { apiKey: "x" },
  { after: randomUUID() },
])("rejects the filter %j", async (query) => {
  expect((await callFromPage(logsConsole.list, { cookie, query })).status).toBe(422);
});

describe("a single request", () => {
  const read = async (index: number) =>
    (await callFromPage(logsConsole.get, { cookie, params: { id: ids[index]! } })).body;

  test("explains its error and how to fix it", async () => {
    expect(await read(1)).toMatchObject({
      path: "/emails/batch",
      status: 422,
      error: "validation_error",
      refusal: {
        meaning: expect.stringMatching(/is invalid/) as string,
        remedy: "Correct what the error message names and try again.",
      },
    });
    expect(await read(4)).toMatchObject({
      refusal: { remedy: expect.stringMatching(/Retry-After/) as string },
    });
    expect(await read(0)).toMatchObject({ refusal: null, userAgent: "resend-node:6.1" });
  });
});

test("rejects other companies and admins without api_controls", async () => {
  const stranger = await aSession((await aCompany()).id);
  const params = { id: ids[0]! };
  expect(await callFromPage(logsConsole.get, { cookie: stranger, params })).toMatchObject({
    status: 404,
  });
  expect((await callFromPage(logsConsole.list, { cookie: stranger })).body).toMatchObject({
    data: [],
    newest: null,
  });
  const query = { after: ids[0]! };
  expect((await callFromPage(logsConsole.list, { cookie: stranger, query })).status).toBe(422);
  const unprivileged = await aSession(companyId, ["view_audit", "domains"]);
  for (const endpoint of [logsConsole.list, logsConsole.get]) {
    const answer = await callFromPage(endpoint, { cookie: unprivileged, params });
    expect(answer).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
    expect((await callFromPage(endpoint, { params })).status).toBe(401);
  }
});
