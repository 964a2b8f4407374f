import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { requestLog } from "#drizzle/schema/index.ts";
import { flushRequestLog } from "#server/core/access/request-log/request-log.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { logsApi } from "./logs.ts";

type Entry = { id: string } & Record<string, unknown>;

/** A company with the given log entries, oldest first; returns their ids, newest first. */
async function aLog(count: number) {
  const { id: companyId } = await aCompany();
  const rows = await db()
    .insert(requestLog)
    .values(
      Array.from({ length: count }, (_, i) => ({
        companyId,
        method: "GET",
        endpoint: `/emails/${i}`,
        responseStatus: 404,

        error: "not_found",
        userAgent: "curl/8",
        createdAt: `2026-03-02 09:00:00.0000${10 + i}+00`,
      })),
    )
    .returning({ id: requestLog.id });
  const { token: key } = await anApiKey(companyId);
  return { companyId, key, ids: rows.map(({ id }) => id).reverse() };
}

let log: Awaited<ReturnType<typeof aLog>>;
let foreign: Awaited<ReturnType<typeof aLog>>;

beforeAll(async () => {
  log = await aLog(25);
  foreign = await aLog(1);
});

async function list(query: Record<string, string>, key = log.key) {
  const { status, body } = await call(logsApi.list, { key, query });
  expect(status).toBe(200);
  return body as { has_more: boolean; data: Entry[] };
}

/** The log before reading it was itself logged. */
const idsOf = ({ data }: { data: Entry[] }) => data.map(({ id }) => id);
const refused = (message: string) => ({
  status: 422,
  body: { statusCode: 422, name: "validation_error", message },
});

describe("GET /logs", () => {
  test("returns a request that was just answered, without object and error", async () => {
    const { id: companyId } = await aCompany();
    const { token: key } = await anApiKey(companyId);
    const headers = { "user-agent": "a".repeat(400) };
    const params = { id: foreign.ids[0]! };
    await call(logsApi.get, { key, params, query: { secret: "x" }, headers });

    expect(await list({}, key)).toEqual({
      object: "list",
      has_more: false,
      data: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          created_at: expect.stringMatching(/^[\d-]{10} [\d:]{8}\.\d{6}\+00$/) as string,
          endpoint: `/logs/${params.id}`,
          method: "GET",
          response_status: 404,
          user_agent: "a".repeat(300),
        },
      ],
    });
  });

  test("lists newest first, 20 by default", async () => {
    const { data, has_more: hasMore } = await list({ before: log.ids[24]!, limit: "100" });
    expect(data.map(({ id }) => id).slice(-24)).toEqual(log.ids.slice(0, 24));
    expect(hasMore).toBe(false);
    expect((await list({})).data).toHaveLength(20);
  });

  test("pages forwards and backwards", async () => {
    const forwards = await list({ after: log.ids[4]!, limit: "5" });
    expect(idsOf(forwards)).toEqual(log.ids.slice(5, 10));
    expect(forwards.has_more).toBe(true);
    const last = await list({ after: log.ids[20]!, limit: "100" });
    expect(idsOf(last)).toEqual(log.ids.slice(21));
    expect(last.has_more).toBe(false);
    const backwards = await list({ before: log.ids[10]!, limit: "3" });
    expect(idsOf(backwards)).toEqual(log.ids.slice(7, 10));
    expect(backwards.has_more).toBe(true);
  });

  test.each(["after", "before"])("rejects another company's entry as %s", async (cursor) => {
    const query = { [cursor]: foreign.ids[0]! };
    expect(await call(logsApi.list, { key: log.key, query })).toMatchObject(
      refused("Invalid pagination cursor"),
    );
  });

  test.each([
    ["a cursor that is no id", { after: "17" }, "Invalid pagination cursor"],
    ["a limit of 0", { limit: "0" }, "limit: must be a whole number from 1 to 100"],
    ["a limit of 101", { limit: "101" }, "limit: must be a whole number from 1 to 100"],
    ["both cursors", { after: "a", before: "b" }, "Use either after or before, not both"],
  ])("rejects %s", async (_, query, message) => {
    expect(await call(logsApi.list, { key: log.key, query })).toMatchObject(refused(message));
  });
});

describe("GET /logs/{id}", () => {
  test("returns the whole entry with the error's name", async () => {
    const id = log.ids[0]!;
    expect(await call(logsApi.get, { key: log.key, params: { id } })).toMatchObject({
      status: 200,
      body: {
        object: "log",
        id,
        created_at: "2026-03-02 09:00:00.000034+00",
        endpoint: "/emails/24",
        method: "GET",
        response_status: 404,
        error: "not_found",
        user_agent: "curl/8",
      },
    });
  });

  test("returns no error for a successful request, and no user agent if none was sent", async () => {
    const { id: companyId } = await aCompany();
    const { token: key } = await anApiKey(companyId);
    await call(logsApi.list, { key });
    await flushRequestLog();
    const [row] = await db().select().from(requestLog).where(eq(requestLog.companyId, companyId));

    expect((await call(logsApi.get, { key, params: { id: row!.id } })).body).toMatchObject({
      response_status: 200,
      error: null,
      user_agent: null,
    });
  });

  test.each([
    ["another company's", () => foreign.ids[0]!],
    ["unknown", () => "0198c0de-0000-7000-8000-000000000000"],
    ["malformed", () => "17"],
  ])("returns not_found for an %s id", async (_, id) => {
    expect(await call(logsApi.get, { key: log.key, params: { id: id() } })).toMatchObject({
      status: 404,
      body: { statusCode: 404, name: "not_found", message: "Log not found" },
    });
  });
});

test.each([logsApi.list, logsApi.get])(
  "$method $path requires full access and api_controls",
  async (endpoint) => {
    const params = { id: log.ids[0]! };
    const sending = await anApiKey(log.companyId, { permission: "sending_access" });
    expect(await call(endpoint, { key: sending.token, params })).toMatchObject({
      status: 401,
      body: { name: "restricted_api_key" },
    });
    const unprivileged = await anApiKey(log.companyId, { privileges: [] });
    expect(await call(endpoint, { key: unprivileged.token, params })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  },
);
